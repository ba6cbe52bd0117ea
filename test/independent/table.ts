/**
 * `node --import tsx test/independent/table.ts [--fault ID]… [--case PATTERN]… [--json]`: which cases of the catalogue tell which fault of
 * the independent relying party. The correct one comes first; every case that fails there is a false alarm, and makes it exit 1.
 */
import { parseArgs } from 'node:util';
import { faultTable, type Row } from './catalogue.js';

const SHOWN = 4;

function line({ fault, told, ran }: Row): string {
  const shown = told.slice(0, SHOWN).join(', ');
  const more = told.length > SHOWN ? ` and ${told.length - SHOWN} more` : '';
  const what =
    fault === undefined ? 'no fault: the correct relying party' : `${fault.id} (${fault.kind}) · ${fault.where} · ${fault.title}`;
  return `${what}\n    ${told.length} of ${ran}: ${shown || 'nothing tells it'}${more}`;
}

const { values } = parseArgs({
  options: {
    fault: { type: 'string', multiple: true, default: [] },
    case: { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
  },
});
const rows: Row[] = [];
for await (const row of faultTable({ faults: values.fault, cases: values.case })) {
  rows.push(row);
  if (!values.json) console.log(line(row));
}
const faulty = rows.filter(({ fault }) => fault !== undefined);
const untold = faulty.filter(({ told }) => told.length === 0);
const alarms = rows.find(({ fault }) => fault === undefined)?.told ?? [];
if (values.json) console.log(JSON.stringify(rows, undefined, 2));
else {
  console.log(`${faulty.length - untold.length} of ${faulty.length} faults are told`);
  console.log(`Nothing tells: ${untold.map(({ fault }) => fault?.id).join(', ') || '–'}`);
  console.log(`False alarms: ${alarms.join(', ') || '–'}`);
}
process.exitCode = alarms.length === 0 ? 0 : 1;
