/**
 * `node --import tsx test/independent/table.ts [--fault ID]… [--case ID]… [--json]`: which case of the catalogue tells which fault of the
 * independent relying party. The correct one comes first: every case that fails there is a false alarm. Exits 1 when there is one.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { simulate } from '../../src/simulate/simulate.js';
import { parseProfile } from '../../src/simulate/target/read-profile.js';
import { FAULTS, type FaultId } from './faults.js';
import { startIndependentServer } from './start.js';

const PROFILE = new URL('profile.json', import.meta.url);

export interface Row {
  readonly fault: string;
  readonly where: string;
  readonly title: string;
  /** Ids of the cases that fail. */
  readonly told: readonly string[];
  /** How many cases ran. */
  readonly ran: number;
}

/** Runs the catalogue against the independent relying party with these faults. */
export async function casesThatFail(faults: readonly FaultId[], ids: readonly string[] = []): Promise<Pick<Row, 'told' | 'ran'>> {
  const server = await startIndependentServer({ faults });
  try {
    const profile = await parseProfile(await readFile(PROFILE, 'utf8'), 'test/independent/profile.json');
    const { results } = await simulate({
      fixtures: [],
      version: 'table',
      select: { ids },
      target: { url: server.url, tokens: server.tokens, profile },
    });
    const failed = results.filter(({ status }) => status === 'failed');
    return { told: failed.map(({ id }) => id), ran: results.filter(({ status }) => status === 'passed').length + failed.length };
  } finally {
    await server.close();
  }
}

/** One row for each fault, after one for the correct server. */
export async function* faultTable(wanted: readonly string[], ids: readonly string[]): AsyncGenerator<Row> {
  const correct = { fault: 'none', where: '', title: 'the correct relying party' };
  yield { ...correct, ...(await casesThatFail([], ids)) };
  for (const { id, where, title } of FAULTS) {
    if (wanted.length > 0 && !wanted.includes(id)) continue;
    yield { fault: id, where, title, ...(await casesThatFail([id], ids)) };
  }
}

const SHOWN = 4;

function line({ fault, where, title, told, ran }: Row): string {
  const shown = told.slice(0, SHOWN).join(', ');
  const more = told.length > SHOWN ? ` and ${told.length - SHOWN} more` : '';
  return `${fault} · ${where} · ${title}\n    ${told.length} of ${ran}: ${shown || 'nothing tells it'}${more}`;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      fault: { type: 'string', multiple: true, default: [] },
      case: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
    },
  });
  const rows: Row[] = [];
  for await (const row of faultTable(values.fault, values.case)) {
    rows.push(row);
    if (!values.json) console.log(line(row));
  }
  const [correct, ...faulty] = rows;
  if (values.json) console.log(JSON.stringify(rows, undefined, 2));
  const untold = faulty.filter(({ told }) => told.length === 0);
  console.log(
    `${faulty.length} faults, ${faulty.length - untold.length} told; nothing tells: ${untold.map(({ fault }) => fault).join(', ') || '–'}`,
  );
  const alarms = correct?.told ?? [];
  console.log(`False alarms on the correct relying party: ${alarms.length}${alarms.length === 0 ? '' : ` (${alarms.join(', ')})`}`);
  process.exitCode = alarms.length === 0 ? 0 : 1;
}

if (process.argv[1] !== undefined && import.meta.url.endsWith('/test/independent/table.ts') && process.argv[1].endsWith('table.ts'))
  await main();
