import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { createAttestationAuthority } from '../../src/authenticator/attestation/authority.js';
import { metadataAuthority } from '../../src/authenticator/attestation/metadata.js';
import { PERSONAS } from '../../src/authenticator/personas/personas.js';
import { schemas } from '../../src/cli/schemas.js';
import { readRoots } from '../../src/relying-party/attestation/roots.js';
import { runIn } from './run-in.js';
import { tempFolder } from './temp-folder.js';

const authority = createAttestationAuthority();
const print = (...argv: readonly string[]) => runIn('/nowhere', ['attestation-root', ...argv]);
const APPLE = 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd';

describe('passkey attestation-root', () => {
  test('prints the root as PEM, and says in it that it is for tests', async () => {
    const { code, stdout, stderr } = await print();
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^# TEST root .*public.*\n# Never trust it in production\.\n-----BEGIN CERTIFICATE-----\n/);
    expect(readRoots([stdout]).map(({ bytes }) => bytes)).toEqual([authority.root]);
    expect(new Uint8Array(new X509Certificate(stdout).raw)).toEqual(authority.root);
  });

  test('prints the root of a seed of one’s own', async () => {
    const { stdout } = await print('--seed', 'ours');
    expect(readRoots([stdout])[0]?.bytes).toEqual(createAttestationAuthority({ seed: 'ours' }).root);
    expect(stdout).toContain('# TEST root of attestations by passkey. Anyone who knows the seed has its private key');
  });

  test('prints the root of the BLOB', async () => {
    const { stdout } = await print('--format', 'blob-root');
    expect(readRoots([stdout])[0]?.bytes).toEqual(metadataAuthority(authority).root);
  });

  test('prints the metadata statement of a model', async () => {
    const statement: unknown = JSON.parse((await print('--format', 'statement', '--aaguid', APPLE.toUpperCase())).stdout);
    expect(statement).toMatchObject({ aaguid: APPLE, attestationRootCertificates: [Buffer.from(authority.root).toString('base64')] });
    expect(JSON.parse((await print('--format', 'statement')).stdout)).toMatchObject({ aaguid: '00000000-0000-0000-0000-000000000000' });
  });

  test('prints a BLOB of the models given, or of all zeros and the personas', async () => {
    const models = async (...argv: readonly string[]) => {
      const [, payload = ''] = (await print('--format', 'blob', ...argv)).stdout.split('.');
      const { entries }: { entries: { aaguid?: string }[] } = JSON.parse(Buffer.from(payload, 'base64url').toString());
      return entries.map(({ aaguid }) => aaguid);
    };
    expect(await models('--aaguid', APPLE)).toEqual([APPLE, undefined]);
    const all = await models();
    expect(new Set(all).size).toBe(all.length);
    expect(all).toContain('00000000-0000-0000-0000-000000000000');
    expect(all).toContain(APPLE);
    expect(all.length).toBeGreaterThan(Object.values(PERSONAS).filter((persona) => 'aaguid' in persona).length);
  });

  test('--out writes a file, and leaves stdout empty', async () => {
    const cwd = await tempFolder();
    const { code, stdout, stderr } = await runIn(cwd, ['attestation-root', '--out', 'root.pem']);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toBe(`Wrote ${join(cwd, 'root.pem')}. It is for tests only: never trust it in production.\n`);
    expect(await readFile(join(cwd, 'root.pem'), 'utf8')).toBe((await print()).stdout);
  });

  test.each([[], ['--format', 'blob'], ['--format', 'statement'], ['--format', 'blob-root', '--seed', 'ours']])(
    '--json fits its schema: %j %j',
    async (...argv) => {
      const { code, stdout } = await print('--json', ...argv);
      expect(code).toBe(0);
      const schema = schemas['attestation-root'];
      const document: { content: string } = JSON.parse(stdout);
      expect(schema && [...Value.Errors(schema, document)]).toStrictEqual([]);
      expect(`${document.content}\n`).toBe((await print(...argv)).stdout);
    },
  );

  const wrong = [
    { argv: ['--format', 'der'], says: '--format expects one of pem, statement, blob, blob-root; got "der".' },
    { argv: ['--format', 'blob', '--aaguid', 'x'], says: '--aaguid expects an AAGUID in 8-4-4-4-12 hexadecimal digits; got "x".' },
    { argv: ['--aaguid', APPLE], says: '--aaguid has no effect with --format pem: a root is the same for all models. Leave it out.' },
    {
      argv: ['--format', 'statement', '--aaguid', APPLE, '--aaguid', APPLE],
      says: 'A metadata statement describes one model; got 2 --aaguid. Choose --format blob.',
    },
    { argv: ['--seed', ''], says: '--seed expects a non-empty text; got "".' },
    {
      argv: ['--out', '/nowhere/root.pem'],
      says: '--out /nowhere/root.pem cannot be written (ENOENT). Name a file in a folder that exists.',
    },
  ];
  test.each(wrong)('$argv is wrong usage', async ({ argv, says }) => {
    const { code, stdout, stderr } = await print(...argv);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(says);
  });
});
