import { cpSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { readExamples, shownPattern } from '../../architecture/readme-examples.js';
import { runIn } from '../../cli/run-in.js';
import { tempFolder } from '../../cli/temp-folder.js';
import { startBetterAuth } from '../../targets/better-auth.js';
import { ceremoniesElsewhere, ORIGIN } from './ceremonies.js';

const ROOT = join(import.meta.dirname, '../../..');
const blocks = readExamples(readFileSync(join(ROOT, 'docs/fixtures.md'), 'utf8'));
const SHOWN_URL = 'http://localhost:3000';

const made = await ceremoniesElsewhere();

/** What a browser exports of somebody who registers and logs in, headers and all. */
function archive(): object {
  const { creation, registration, request, login } = made;
  const exchanges: readonly (readonly [sent: object, received: object])[] = [
    [{}, { token: 'secret', publicKey: creation }],
    [{ credential: registration }, {}],
    [{}, { publicKey: request }],
    [{ credential: login }, {}],
  ];
  const entries = exchanges.map(([sent, received], index) => ({
    startedDateTime: `2026-01-15T10:30:0${index}.000Z`,
    request: {
      method: 'POST',
      url: `${ORIGIN}/webauthn`,
      headers: [
        { name: 'Origin', value: ORIGIN },
        { name: 'Cookie', value: 'session=secret' },
      ],
      postData: { text: JSON.stringify(sent) },
    },
    response: { status: 200, headers: [], content: { text: JSON.stringify(received) } },
  }));
  return { log: { entries } };
}

let cwd: string;
beforeEach(async () => {
  cwd = await tempFolder();
  const { creation, registration, login } = made;
  const files = {
    'recording.har': archive(),
    'registration.json': registration,
    'login.json': login,
    'options.json': { publicKey: creation },
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(cwd, name), JSON.stringify(content));
});

/** Runs the commands of one block in one folder, and compares what both streams say. */
async function sitting(block: (typeof blocks)[number]): Promise<void> {
  for (const { line, command, shown } of block) {
    if (command.includes('fixtures/recorded')) cpSync(join(ROOT, 'fixtures/recorded'), join(cwd, 'fixtures/recorded'), { recursive: true });
    const target = command.includes('--url') ? await startBetterAuth() : undefined;
    const { url = SHOWN_URL } = target ?? {};
    const [name, ...argv] = command;
    expect(name, `line ${line}`).toBe('passkey');
    const { stdout, stderr } = await runIn(
      cwd,
      argv.map((word) => (word === SHOWN_URL ? url : word)),
    );
    await target?.close();
    // Remarks come before the table, counts after it; a terminal shows both streams as they are written.
    const pattern = shownPattern(shown);
    const said = [stderr + stdout, stdout + stderr].map((text) => text.replaceAll(url, SHOWN_URL));
    expect(said.find((text) => pattern.test(text)) ?? said[0], `line ${line}`).toMatch(pattern);
  }
}

describe('docs/fixtures.md', () => {
  test('has examples', () => {
    expect(blocks.length).toBeGreaterThanOrEqual(5);
  });

  test.each(blocks.map((block) => [block[0]?.line, block] as const))(
    'the examples from line %i on',
    { timeout: 60_000 },
    async (_, block) => {
      await sitting(block);
    },
  );
});
