import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../e2e/passkey-process.js';
import { recordForms } from '../simulate/target/recording/record-pages.js';
import { startFormServer } from '../simulate/target/recording/recorded-servers.js';
import { readSittings } from './examples/markdown.js';
import { argvOf } from './examples/outcome.js';
import { runIn } from './run-in.js';
import { tempFolder } from './temp-folder.js';

interface Result {
  readonly id: string;
  readonly status: string;
  readonly expected: string;
}
interface Finding {
  readonly cause: string;
}

test('the commands of README.md for a server of your own find none of its limits to be faults', async () => {
  const [, section = ''] = (await readFile(join(ROOT, 'README.md'), 'utf8')).split('\n## Your own server\n');
  const commands = (readSittings(section)[0]?.examples ?? []).map(({ command }) => command);
  expect(commands).toHaveLength(4);
  const { url, close } = await startFormServer();
  onTestFinished(close);
  const cwd = await tempFolder();
  await writeFile(join(cwd, 'recording.har'), JSON.stringify((await recordForms(url)).har()));

  const report = join(cwd, 'report.json');
  for (const command of commands) {
    const argv = argvOf(command).map((word) => word.replace('http://localhost:3000', url));
    const isLast = command === commands.at(-1);
    const { code, stderr } = await runIn(cwd, isLast ? [...argv, '--reporter', `json=${report}`] : argv);
    expect({ command, code, stderr: isLast ? '' : stderr.match(/^passkey: .*/m) }).toMatchObject({ command, code: isLast ? 1 : 0 });
  }
  const { findings, results } = JSON.parse(await readFile(report, 'utf8'));
  // The server accepts some that it should refuse; it refuses nothing that it should accept.
  const refused = results.filter(({ status, expected }: Result) => status === 'failed' && expected === 'accepted');
  expect(refused.map(({ id }: Result) => id)).toEqual([]);
  expect(findings.map(({ cause }: Finding) => cause)).toContain('session-fixation');
}, 120_000);
