import type { Static } from 'typebox';
import * as Type from 'typebox';
import { PasskeyError } from '../../errors.js';
import { recogniseJson } from '../../explain/annotate/kinds.js';
import { explainErrorText } from '../../explain/error-text.js';
import type { Expectations } from '../../explain/expectations.js';
import { explainInput } from '../../explain/explain.js';
import { isObject, type JsonObject } from '../../kernel/json-value.js';
import { orNull, strict } from '../../kernel/schema-kit.js';
import { count } from '../../kernel/wording.js';
import { type Io, printAll, printJson, say, warn } from '../io.js';
import { printable, printableLines } from '../output/printable.js';
import { tableLines } from '../output/table.js';
import { openLines } from './inputs.js';

const time = orNull(Type.String({ description: 'In UTC, from the lines that have a time.' }));
const natural = Type.Integer({ minimum: 0 });

export const explainSummary = Type.Object(
  {
    lines: Type.Integer({ minimum: 0, description: 'Number of lines, without blank ones.' }),
    accepted: natural,
    refused: Type.Integer({ minimum: 0, description: 'The sum of the counts below and of `further`.' }),
    undecided: Type.Integer({ minimum: 0, description: 'Ceremonies that lack a value on which the verdict depends.' }),
    other: Type.Integer({ minimum: 0, description: 'Lines about something else.' }),
    unreadable: Type.Object(
      {
        count: natural,
        first: Type.Array(Type.Object({ line: Type.String(), reason: Type.String() }, strict), {
          description: 'The first unreadable lines, at most ten.',
        }),
      },
      strict,
    ),
    further: Type.Integer({ minimum: 0, description: 'Refusals with codes beyond the first 1,000 different ones.' }),
    rows: Type.Array(
      Type.Object(
        {
          code: orNull(Type.String({ description: 'Null if the line has only the error message of a library.' })),
          step: orNull(Type.String({ description: 'Slug of the step of the standard, if the line has it.' })),
          count: Type.Integer({ minimum: 1 }),
          first: time,
          last: time,
        },
        strict,
      ),
      { description: 'The most frequent refusals first.' },
    ),
  },
  { ...strict, title: 'passkey explain --summary --json' },
);

type Summary = Static<typeof explainSummary>;

/** The result that one line of a log states. */
type Entry = 'accepted' | 'undecided' | 'other' | { readonly code: string | null; readonly step: string | null };

const MAX_NAMED = 10;
/** Maximum number of rows in the summary. The error codes come from the log, so without a limit a hostile log could fill the memory. */
const MAX_ROWS = 1000;

const COLUMNS = [{ title: 'CODE' }, { title: 'STEP' }, { title: 'COUNT', align: 'right' }, { title: 'FIRST' }, { title: 'LAST' }] as const;

/** Runs `passkey explain --summary FILE…`: counts the refusals in logs of JSON lines. */
export async function summarize(io: Io, names: readonly string[], { settings, json }: { settings: Expectations; json: boolean }) {
  const summary: Summary = {
    lines: 0,
    accepted: 0,
    refused: 0,
    undecided: 0,
    other: 0,
    unreadable: { count: 0, first: [] },
    further: 0,
    rows: [],
  };
  const rows = new Map<string, Summary['rows'][number]>();
  for await (const item of openLines(io, names)) {
    summary.lines += 1;
    const parsed = 'problem' in item ? item.problem.message : parse(item.bytes);
    if (typeof parsed === 'string') {
      summary.unreadable.count += 1;
      if (summary.unreadable.first.length < MAX_NAMED) summary.unreadable.first.push({ line: item.name, reason: parsed });
      continue;
    }
    for (const entry of await readEntries(parsed, settings, io.now)) {
      if (typeof entry === 'string') summary[entry] += 1;
      else {
        summary.refused += 1;
        if (!countRow(rows, entry, readTime(parsed))) summary.further += 1;
      }
    }
  }
  summary.rows = [...rows.values()].toSorted((one, other) => other.count - one.count || (nameRow(one) < nameRow(other) ? -1 : 1));
  if (json) return printJson(io, summary);
  await print(io, summary);
}

async function print(io: Io, { lines, accepted, refused, undecided, other, unreadable, further, rows }: Summary): Promise<void> {
  if (rows.length > 0) {
    const toCells = ({ code, step, count: times, first, last }: Summary['rows'][number]) => [
      code ?? '-',
      step ?? '-',
      String(times),
      first ?? '-',
      last ?? '-',
    ];
    await printAll(io, tableLines(io, COLUMNS, rows, toCells));
  }
  for (const { line, reason } of unreadable.first) {
    warn(io, printableLines(`passkey: ${reason.startsWith(line) ? '' : `${line}: `}${reason}`));
  }
  const parts = { accepted, refused, undecided, 'about something else': other, 'not readable': unreadable.count };
  const said = Object.entries(parts).flatMap(([what, number]) => (number === 0 ? [] : [`${number} ${what}`]));
  const beyond = further === 0 ? '' : `; ${count(further, 'refusal')} with further codes not listed`;
  say(io, `${count(lines, 'line')}${said.length === 0 ? '' : `: ${said.join(', ')}`}${beyond}`);
}

/** Parses a line. If the line is not a JSON object, returns a sentence about the mistake. */
function parse(bytes: Uint8Array): JsonObject | string {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isObject(value) ? value : 'Expected a JSON object.';
  } catch (error) {
    return `Expected a line of JSON (${error instanceof Error ? printable(error.message) : ''}).`;
  }
}

/**
 * Reads the verdicts in a line. The line may come from a server's log or from the `--json` output of a command. It may also be a ceremony;
 * then the verification steps are run.
 */
async function readEntries(line: JsonObject, settings: Expectations, now: () => number): Promise<readonly Entry[]> {
  const explained = isObject(line['explanation']) ? line['explanation'] : line;
  const verdict = readVerdict(explained);
  if (verdict !== undefined) return [verdict];
  const logged = readLogged(line);
  if (logged !== undefined) return [logged];
  const kind = recogniseJson(line)?.kind;
  if (kind === 'registration' || kind === 'authentication' || kind === 'fixture') return runSteps(line, settings, now);
  return [readText(line) ?? 'other'];
}

/** Reads the verdict in a line of `explain --json` or `browse --json`. */
function readVerdict({ verdict, steps }: JsonObject): Entry | undefined {
  if (!Array.isArray(steps)) return undefined;
  if (verdict === 'accepted' || verdict === 'undecided') return verdict;
  if (verdict !== 'rejected') return undefined;
  const failed: unknown = steps.find((step: unknown) => isObject(step) && step['status'] === 'fail');
  return isObject(failed) ? { code: readName(failed['code']), step: readName(failed['slug']) } : { code: null, step: null };
}

/** Names of the members in which servers log an error, or the problem document that they sent. */
const HOLDERS = ['err', 'error', 'problem', 'body', 'response', 'res'] as const;
const ACCEPTED: readonly unknown[] = ['verified', 'done', 'accepted'];

/**
 * Reads the verdict in a line of the log or audit log of `passkey serve`, or in a line of any server that logs problem documents or
 * PasskeyErrors.
 */
function readLogged(line: JsonObject): Entry | undefined {
  for (const holder of [line, ...HOLDERS.map((name) => line[name])]) {
    if (!isObject(holder)) continue;
    const code = readName(holder['code']);
    if (code === null) continue;
    const step = isObject(holder['step']) ? holder['step']['slug'] : holder['step'];
    return { code, step: readName(step) };
  }
  return ACCEPTED.includes(line['outcome']) ? 'accepted' : undefined;
}

/** Returns the value if it is a valid code or slug, otherwise null. */
const readName = (value: unknown): string | null => (typeof value === 'string' && /^[\w.:-]{1,64}$/.test(value) ? value : null);

async function runSteps(line: JsonObject, settings: Expectations, now: () => number): Promise<readonly Entry[]> {
  const bytes = new TextEncoder().encode(JSON.stringify(line));
  const { ceremonies, unreadable } = await explainInput({ name: 'line', bytes }, settings, now(), { withTree: false });
  if (unreadable !== undefined) return [{ code: unreadable.code, step: null }];
  return ceremonies.map(({ outcome }): Entry => {
    if (outcome instanceof PasskeyError) return { code: outcome.code, step: outcome.step?.slug ?? null };
    if (outcome.verdict !== 'rejected') return outcome.verdict;
    return { code: outcome.failed?.code ?? null, step: outcome.failed?.slug ?? null };
  });
}

/** Finds the failed step from the error message of a verification library in the line. */
function readText(line: JsonObject): Entry | undefined {
  const { err, error } = line;
  const texts = [
    isObject(err) ? err['message'] : err,
    isObject(error) ? error['message'] : error,
    line['msg'],
    line['message'],
    line['detail'],
  ];
  for (const text of texts) {
    const known = typeof text === 'string' ? explainErrorText(text.slice(0, MAX_TEXT)).find(({ step }) => step !== null) : undefined;
    if (known !== undefined) return { code: null, step: known.step };
  }
  return undefined;
}

const MAX_TEXT = 1000;

/** Adds a refusal to the table of the summary. Returns false if there is no room for another row. */
function countRow(rows: Map<string, Summary['rows'][number]>, entry: Exclude<Entry, string>, at: string | null): boolean {
  const key = nameRow(entry);
  const row = rows.get(key);
  if (row === undefined) {
    if (rows.size === MAX_ROWS) return false;
    rows.set(key, { ...entry, count: 1, first: at, last: at });
    return true;
  }
  row.count += 1;
  if (at !== null && (row.first === null || at < row.first)) row.first = at;
  if (at !== null && (row.last === null || at > row.last)) row.last = at;
  return true;
}

const nameRow = ({ code, step }: Exclude<Entry, string>): string => `${code ?? ''} ${step ?? ''}`;

const TIMES = ['time', 'at', 'timestamp', '@timestamp', 'ts'] as const;
/** Smallest number that is read as milliseconds since the epoch. Smaller numbers are read as seconds. */
const LEAST_MILLISECONDS = 1e11;

/** Reads the time of a log line, in UTC. Null if the line has no time. */
function readTime(line: JsonObject): string | null {
  const value = TIMES.map((name) => line[name]).find((each) => typeof each === 'string' || typeof each === 'number');
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const at = new Date(typeof value === 'number' && value < LEAST_MILLISECONDS ? value * 1000 : value);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
