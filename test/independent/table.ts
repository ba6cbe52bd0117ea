/**
 * `node --import tsx test/independent/table.ts [--fault ID]… [--case PATTERN]… [--part 1/2] [--json]`: which cases of the catalogue tell
 * which fault of the independent relying party, and the first finding. The correct one comes first, in every setting; every case that fails there is a false
 * alarm, and makes it exit 1.
 */
import { parseArgs } from 'node:util';
import { headFinding } from '../../src/simulate/reporters/words.js';
import { faultTable, type Row, readPart } from './catalogue.js';

const SHOWN = 4;

function line({ fault, setting, told, ran, first }: Row): string {
  const shown = told.slice(0, SHOWN).join(', ');
  const more = told.length > SHOWN ? ` and ${told.length - SHOWN} more` : '';
  const where = setting === 'plain' ? '' : ` · ${setting}`;
  const what =
    fault === undefined ? 'no fault: the correct relying party' : `${fault.id} (${fault.kind}) · ${fault.where} · ${fault.title}`;
  const nothing = fault === undefined ? 'silent' : 'nothing tells it';
  const finding = first === undefined ? '' : `\n    ${headFinding(first)}`;
  return `${what}${where}\n    ${told.length} of ${ran}: ${shown || nothing}${more}${finding}`;
}

const { values } = parseArgs({
  options: {
    fault: { type: 'string', multiple: true, default: [] },
    case: { type: 'string', multiple: true, default: [] },
    part: { type: 'string', default: '1/1' },
    json: { type: 'boolean', default: false },
  },
});
const rows: Row[] = [];
for await (const row of faultTable({ faults: values.fault, cases: values.case, part: readPart(values.part) })) {
  rows.push(row);
  console.log(values.json ? JSON.stringify(row) : line(row));
}
const faulty = rows.flatMap(({ fault, told }) => (fault === undefined ? [] : [{ id: fault.id, told }]));
const untold = faulty.filter(({ told }) => told.length === 0);
const alarms = rows.flatMap(({ fault, setting, told }) => (fault === undefined ? told.map((id) => `${id} (${setting})`) : []));
if (!values.json) {
  console.log(`${faulty.filter(({ told }) => told.length > 0).length} of ${faulty.length} faults are told`);
  console.log(`Nothing tells: ${untold.map(({ id }) => id).join(', ') || '–'}`);
  console.log(`False alarms: ${alarms.join(', ') || '–'}`);
}
process.exitCode = alarms.length === 0 ? 0 : 1;
