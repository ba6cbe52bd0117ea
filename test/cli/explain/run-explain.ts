import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExplainDocument } from '../../../src/explain/document-schema.js';
import { parseFixture } from '../../../src/fixture/read.js';
import { runIn } from '../run-in.js';
import { tempFolder } from '../temp-folder.js';

export const FIXTURES = join(import.meta.dirname, '../../../fixtures');
export const recorded = (name: string) => readFileSync(join(FIXTURES, 'recorded', `${name}.json`), 'utf8');
export const names = readdirSync(join(FIXTURES, 'recorded')).map((file) => file.replace('.json', ''));
export const fixtures = names.map((name) => parseFixture(recorded(name), name));
const foundRegistration = fixtures.find(({ kind }) => kind === 'registration');
const foundLogin = fixtures.find(({ kind, ceremony }) => kind === 'authentication' && ceremony.discoverable !== true);
if (foundRegistration === undefined || foundLogin === undefined) {
  throw new Error('expected a registration and a login among the shipped recordings');
}
export const registration = foundRegistration;
export const login = foundLogin;

export const lines = (stdout: string): ExplainDocument[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** `passkey explain` in a folder of its own with these files. */
export async function explain(argv: readonly string[], files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const folder = await tempFolder();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return runIn(folder, ['explain', ...argv]);
}

export const members = ({ response }: typeof login): Readonly<Record<string, unknown>> => Object(response['response']);

/** What the flags must say of a recording. */
export const flagsOf = ({ kind, rpId, ceremony, credential }: typeof login, key = true): string[] => [
  '--rp-id',
  rpId,
  ...ceremony.origins.flatMap((origin) => ['--origin', origin]),
  '--challenge',
  ceremony.challenge,
  ...(kind === 'registration' ? ['--algorithms', ceremony.policy.algorithms.join()] : []),
  ...(key && credential
    ? [
        '--public-key',
        credential.publicKey,
        '--sign-count',
        String(credential.signCount),
        '--backup-eligible',
        String(credential.backupEligible),
      ]
    : []),
];
