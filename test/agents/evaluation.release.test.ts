import { expect, test } from 'vitest';
import { runIn } from '../cli/run-in.js';
import { readEvaluations, startShop, writeShop } from './shop.js';

/** What an agent reads: the first 2 kB of standard output. */
async function askBriefly(cwd: string) {
  const url = await startShop(cwd);
  const { code, stdout } = await runIn(cwd, ['simulate', url, '--reporter', 'brief']);
  return { code, brief: stdout.slice(0, 2048), bytes: Buffer.byteLength(stdout) };
}

test.each(await readEvaluations())('$name: the brief report has cause and remedy', async (evaluation) => {
  const { code, brief, bytes } = await askBriefly(await writeShop(evaluation));
  expect({ code, brief }).toMatchObject({ code: 1, brief: expect.stringMatching(/^fails: /) });
  expect(bytes).toBeLessThanOrEqual(2048);
  const [, first = ''] = brief.split('\n');
  expect(first).toMatch(new RegExp(`^\\w+, ${evaluation.cause}: `));
  const fix = /^ {2}fix: (.*)$/m.exec(brief)?.[1];
  expect(fix).toContain(evaluation.remedy);
});

test('the shop without a mistake passes', async () => {
  const { code, brief } = await askBriefly(await writeShop());
  expect({ code, brief }).toMatchObject({ code: 0, brief: expect.stringMatching(/^passes: /) });
});
