import { count } from '../../kernel/wording.js';
import { choosePageCases } from '../../testing/page/cases.js';
import type { Flags } from '../config/resolve.js';
import { type Io, printAll, printJsonArray, say } from '../io.js';
import { tableLines } from '../output/table.js';

const COLUMNS = [{ title: 'CASE' }, { title: 'FLOW' }, { title: 'TITLE', yields: 1 }];

/** Runs `passkey browse --check --list [URL [CASE…]]`, which lists the cases. */
export async function listPageCases(io: Io, flags: Flags, patterns: readonly string[]): Promise<number> {
  const cases = choosePageCases(patterns).map(({ id, flow, title }) => ({ id, flow, title }));
  if (flags.json === true) await printJsonArray(io, cases);
  else {
    await printAll(
      io,
      tableLines(io, COLUMNS, cases, ({ id, flow, title }) => [id, flow, title]),
    );
    say(io, count(cases.length, 'case'));
  }
  return 0;
}
