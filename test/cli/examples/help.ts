import { expect } from 'vitest';
import { skipWithoutBrowser } from '../../e2e/browser.js';
import { COMMANDS } from '../all-commands.js';
import { runIn } from '../run-in.js';
import { expectSuccess, isSlow, openSitting } from './outcome.js';

async function examplesOf(command: string): Promise<string[]> {
  const { stdout } = await runIn('/nowhere', [...command.split(' '), '--help']);
  const [examples = ''] = stdout.split('\nUsage: ');
  return examples
    .replaceAll(/ \\\n +/g, ' ')
    .split('\n')
    .flatMap((line) => (line.startsWith('  $ ') ? [line.slice(4)] : []));
}

/** Of all commands, each as one line. */
export const EXAMPLES = (await Promise.all(COMMANDS.map(([name]) => examplesOf(name))))
  .flat()
  .filter((example) => !example.startsWith('passkey browse') || !skipWithoutBrowser());
const SLOW = EXAMPLES.filter(isSlow);
/** What `npm test` runs: of the slow ones every twenty-fourth, from the sixth on. */
export const QUICK = EXAMPLES.filter((example) => !SLOW.includes(example) || SLOW.indexOf(example) % 24 === 5);
/** They ask on a terminal; without one they say which flag to give. */
const ASKING = ['passkey revoke', 'passkey restore', 'passkey token revoke', 'passkey user remove', 'passkey user remove ada@example.com'];

export async function expectWorks(example: string, argv: readonly string[]): Promise<void> {
  const ran = await (await openSitting(example))(argv);
  if (!ASKING.includes(example)) expectSuccess(argv, ran);
  else expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
}
