import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { PasskeyError } from '../../errors.js';
import { spellFlag } from '../../kernel/wording.js';
import { readAsset } from '../../simulate/asset.js';
import { DEMO_CASES, findLine, SHOP_FILE, targetShop, WRONG_LINES } from '../../simulate/demo/demo.js';
import type { ScenarioOptions } from '../../simulate/scenarios.js';
import type { SimulateOptions } from '../../simulate/simulate.js';
import type { Flags } from '../config/resolve.js';
import { type Io, say } from '../io.js';
import { ownCommand } from '../own-command.js';
import { packageFolder } from '../package.js';

/** Names of the flags that only determine how the report is printed. */
const OF_THE_REPORT: ReadonlySet<string> = new Set(['demo', 'json', 'reporter', 'verbose']);

type RunCases = (io: Io, flags: Flags, options: ScenarioOptions & Pick<SimulateOptions, 'target'>) => Promise<number>;

/**
 * Runs `passkey simulate --demo`. It tests a demo shop, which runs in this process and has three mistakes, and names the wrong lines of the
 * shop's code.
 *
 * @throws PasskeyError `usage` for a flag that chooses another server, or that chooses cases in another way than by their names.
 */
export async function runDemo(io: Io, flags: Flags, names: readonly string[], runCases: RunCases): Promise<number> {
  const stray = Object.keys(flags).find((key) => !OF_THE_REPORT.has(key));
  if (stray !== undefined) {
    throw new PasskeyError('usage', `--demo tests its own shop, so ${spellFlag(stray)} has no effect on it. Leave one of them out.`);
  }
  const { openShop } = await import('../../simulate/demo/shop.js');
  const shop = await openShop();
  try {
    const select = { ids: names.length > 0 ? names : DEMO_CASES };
    const code = await runCases(io, flags, { fixtures: [], select, target: targetShop(shop.url) });
    await sayWrongLines(io);
    return code;
  } finally {
    shop.close();
  }
}

async function sayWrongLines(io: Io): Promise<void> {
  const carried = readAsset('shop.ts');
  const file = join(packageFolder(), SHOP_FILE);
  const source = carried ?? (await readFile(file, 'utf8'));
  const below = relative(io.cwd, file);
  const shown = carried === undefined ? (below.startsWith('..') ? file : below) : SHOP_FILE;
  say(io, '\nThe shop fails on purpose. These are its wrong lines, and the correct ones:');
  for (const line of WRONG_LINES) say(io, `\n${shown}:${findLine(source, line)}\n  - ${line.wrong}\n  + ${line.right}`);
  say(io, `\nTo test your own server, describe how to talk to it: ${ownCommand(io)} simulate --init-profile own.yaml`);
}
