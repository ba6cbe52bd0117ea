import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { annotate, type ExplainExpectations, explain, explainAll } from 'passkey-cli/explain';
import { describe, expect, test } from 'vitest';
import { run } from '../../src/cli/main.js';
import { FOREIGN_ROOT } from '../../src/simulate/cases/values.js';
import { type CoseKey, decodeCoseKey } from '../../src/webauthn/cose-key.js';
import { fakeIo } from '../cli/fake-io.js';
import { RECORDINGS, recordedEnvelope, recordedStatement } from '../relying-party/attestation/recordings.js';

/** `passkey-cli/explain` as it is published, beside the command line of the same build. */

const root = resolve(import.meta.dirname, '../..');
const recorded = (name: string) => join(root, 'fixtures/recorded', name);
const AT = '2026-01-15T10:30:00Z';

interface Fixture {
  readonly kind: string;
  readonly rpId: string;
  readonly origin: string;
  readonly response: Record<string, unknown>;
  readonly credential?: { readonly publicKey: string; readonly signCount: number; readonly backupEligible: boolean };
  readonly ceremony: {
    readonly challenge: string;
    readonly options: object;
    readonly discoverable?: boolean;
    readonly policy: { readonly algorithms: readonly number[] };
  };
}

const fixtures = readdirSync(join(root, 'fixtures/recorded')).map((file) => ({
  file,
  fixture: JSON.parse(readFileSync(recorded(file), 'utf8')) as Fixture,
}));
const found = (kind: string) => {
  const login = fixtures.find(({ fixture }) => fixture.kind === kind && fixture.ceremony.discoverable !== true);
  if (login === undefined) throw new Error(`Expected a recorded ${kind}.`);
  return login;
};
const { fixture: login } = found('authentication');
const { fixture: registration } = found('registration');

/** The documents that `passkey explain - --json` prints; a rejected ceremony exits 1. */
async function printed(input: string | Uint8Array, flags: readonly string[] = []): Promise<unknown[]> {
  const { io, written, stdin } = fakeIo({ cwd: root });
  stdin.end(input);
  expect(await run(['explain', '-', '--json', '--at', AT, ...flags], io)).toBe(0);
  const output = written.stdout;
  return output.startsWith('{\n')
    ? [JSON.parse(output)]
    : output
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
}

const asPrinted = { source: '-' };
const flagsOf = ({ rpId, origin, ceremony, credential }: Fixture) => [
  '--rp-id',
  rpId,
  '--origin',
  origin,
  '--challenge',
  ceremony.challenge,
  '--algorithms',
  ceremony.policy.algorithms.join(),
  '--public-key',
  credential?.publicKey ?? '',
  '--sign-count',
  String(credential?.signCount),
  '--backup-eligible',
  String(credential?.backupEligible),
];
const expectationsOf = ({ rpId, origin, ceremony, credential }: Fixture): ExplainExpectations => ({
  rpId,
  origin,
  challenge: ceremony.challenge,
  algorithms: ceremony.policy.algorithms,
  ...(credential && { publicKey: credential.publicKey, signCount: credential.signCount, backupEligible: credential.backupEligible }),
  at: AT,
});

/** An HTTP archive of ceremonies: options as the server sent them, credentials as the page did. */
const archive = (...ceremonies: readonly Fixture[]) =>
  JSON.stringify({
    log: {
      entries: ceremonies.map(({ ceremony, response, origin }) => ({
        startedDateTime: AT,
        request: {
          url: `${origin}/finish`,
          headers: [{ name: 'Origin', value: origin }],
          postData: { text: JSON.stringify(response) },
        },
        response: { content: { text: JSON.stringify(ceremony.options) } },
      })),
    },
  });

describe('explain gives what the command line prints', () => {
  test.each(fixtures.filter(({ file }) => /synced|packed/.test(file)))('for $file', async ({ file }) => {
    const text = readFileSync(recorded(file), 'utf8');
    const [document] = await printed(text);
    expect(await explain(text, { at: AT }, asPrinted)).toEqual(document);
    expect(await explain(JSON.parse(text) as object, { at: AT }, asPrinted)).toEqual(document);
  });

  test.each([
    ['an authentication', login],
    ['a registration', registration],
  ])('for %s and its flags', async (_, fixture) => {
    const [document] = await printed(JSON.stringify(fixture.response), flagsOf(fixture));
    expect(document).toMatchObject({ verdict: 'accepted' });
    expect(await explain(fixture.response, expectationsOf(fixture), asPrinted)).toEqual(document);
  });

  test('for options', async () => {
    const text = JSON.stringify({ ...login.ceremony.options, timeout: 60 });
    const document = await explain(text, { origin: login.origin, at: AT }, asPrinted);
    expect(document.advice).toContainEqual(expect.objectContaining({ pointer: '/timeout', severity: 'error' }));
    expect([document]).toEqual(await printed(text, ['--origin', login.origin]));
  });

  test('for a HAR, which has several ceremonies', async () => {
    const har = archive(registration, login);
    const documents = await explainAll(har, { at: AT }, asPrinted);
    expect(documents.map(({ ceremony }) => ceremony)).toEqual(['registration', 'authentication']);
    expect(documents).toEqual(await printed(har));
    await expect(explain(har)).rejects.toMatchObject({ code: 'validation_failed', message: expect.stringContaining('explainAll()') });
  });
});

test('explain refuses several ceremonies before it verifies any, which takes more than a turn of the event loop', async () => {
  const refused = explain(archive(registration, login), { at: AT }).then(
    () => 'explained',
    () => 'refused',
  );
  const turn = new Promise((resolve) => setImmediate(resolve, 'a turn'));
  expect(await Promise.race([refused, turn])).toBe('refused');
});

test('annotate gives the tree of the document, from bytes, text and objects', async () => {
  const { attestationObject } = registration.response['response'] as { attestationObject: string };
  const bytes = Buffer.from(attestationObject, 'base64url');
  const tree = annotate(bytes);
  expect(tree).toMatchObject({ label: 'attestation object', offset: 0, length: bytes.length });
  expect(annotate(attestationObject)).toEqual(tree);
  expect(annotate(Uint8Array.from(bytes).buffer)).toEqual(tree);
  expect((await explain(bytes)).tree).toEqual(tree);
  expect(annotate(registration.response)).toMatchObject({ label: 'registration response' });
});

describe('expectations', () => {
  const { publicKey = '' } = login.credential ?? {};
  const verdict = async (change: ExplainExpectations) => (await explain(login.response, { ...expectationsOf(login), ...change })).verdict;

  test.each<[string, ExplainExpectations, string]>([
    [
      'bytes',
      { challenge: Buffer.from(login.ceremony.challenge, 'base64url'), publicKey: Buffer.from(publicKey, 'base64url') },
      'accepted',
    ],
    ['hexadecimal', { challenge: Buffer.from(login.ceremony.challenge, 'base64url').toString('hex') }, 'accepted'],
    ['several origins', { origin: ['https://other.example', login.origin] }, 'accepted'],
    ['another origin', { origin: 'https://other.example' }, 'rejected'],
    ['a counter that has not grown', { signCount: 0xffff_ffff }, 'rejected'],
    ['no key', { publicKey: undefined, signCount: undefined }, 'undecided'],
    ['no counter', { signCount: undefined }, 'undecided'],
    ['no backup eligibility', { backupEligible: undefined }, 'undecided'],
  ])('%s', async (_, change, expected) => expect(await verdict(change)).toBe(expected));

  test.each(['login-user-verified.json', 'login-rs256.json'])('the public key of %s as a JWK', async (file) => {
    const known = fixtures.find((entry) => entry.file === file)?.fixture;
    const jwk = jwkOf(decodeCoseKey(Buffer.from(known?.credential?.publicKey ?? '', 'base64url')));
    if (known === undefined) throw new Error(`Expected ${file}.`);
    for (const key of [jwk, JSON.stringify(jwk)]) {
      const document = await explain(known.response, { ...expectationsOf(known), publicKey: key });
      expect(document.verdict).toBe('accepted');
    }
  });

  test.each<[string, object]>([
    ['rpId', { rpId: '' }],
    ['origin', { origin: [] }],
    ['origin', { origin: 7 }],
    ['topOrigin', { topOrigin: [''] }],
    ['challenge', { challenge: 'not base64!' }],
    ['challenge', { challenge: new Uint8Array() }],
    ['publicKey', { publicKey: 'AAAA' }],
    ['publicKey', { publicKey: { kty: 'oct', k: 'AAAA' } }],
    ['publicKey', { publicKey: { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA' } }],
    ['publicKey', { publicKey: 7n }],
    ['signCount', { signCount: -1 }],
    ['requireUserVerification', { requireUserVerification: 'yes' }],
    ['roots[1]', { roots: [FOREIGN_ROOT, 'no certificate'] }],
    ['selfAttestation', { selfAttestation: 'perhaps' }],
    ['metadata.roots', { metadata: { blob: 'a.b.c' } }],
    ['metadata', { metadata: { blob: 'a.b.c', roots: [FOREIGN_ROOT] } }],
    ['aaguidNames', { aaguidNames: { yubikey: 'A key' } }],
    ['at', { at: 'yesterday' }],
    ['expectations', { rpID: 'example.org' }],
    ['expectations', JSON.parse('null')],
    ['expectations', JSON.parse('[]')],
  ])('%s that is wrong is named', async (member, wrong) => {
    await expect(explain(login.response, wrong)).rejects.toMatchObject({
      name: 'PasskeyError',
      code: 'configuration_invalid',
      message: expect.stringMatching(new RegExp(`^${member.replace(/[[\].]/g, '\\$&')}: expected `)),
    });
  });
});

test('the clock is a parameter: without a time of verification, certificates are judged by it', async () => {
  const recording = RECORDINGS.find(({ file }) => file === 'windows-hello-intel-tpm.json');
  if (recording === undefined) throw new Error('Expected the recording of a TPM.');
  const { clientDataJSON, attestationObject, at } = recording;
  const attested = async (now: number) => {
    const credential = { ...recordedEnvelope(recordedStatement(recording)), response: { clientDataJSON, attestationObject } };
    return (await explain(credential, { origin: login.origin }, { now: () => now })).attestation?.verdict;
  };
  expect(await attested(Date.parse(at))).toBe('accepted');
  expect(await attested(Date.parse('2200-01-01T00:00:00Z'))).toBe('rejected');
});

test('roots are those of --roots: a registration without attestation leads to none', async () => {
  const document = await explain(registration.response, { ...expectationsOf(registration), roots: [FOREIGN_ROOT] });
  expect(document).toMatchObject({ verdict: 'rejected', library: { verdict: 'accepted' } });
});

test('a recorded ceremony whose response is malformed keeps its source', async () => {
  const response = { ...registration.response, response: { ...Object(registration.response['response']), attestationObject: 7 } };
  const document = await explain({ ...registration, response }, { at: AT }, { source: 'broken.json' });
  expect(document).toMatchObject({
    source: 'broken.json',
    input: { kind: 'fixture' },
    verdict: 'rejected',
    error: { code: 'validation_failed' },
  });
});

test('an input that cannot be read says where', async () => {
  await expect(explain('{"a":', {}, { source: 'login.json' })).rejects.toMatchObject({
    code: 'validation_failed',
    message: expect.stringMatching(/^login\.json looks like JSON, but at 1:6/),
  });
  expect(() => annotate(Object.assign({}, { self: 1n }))).toThrow(expect.objectContaining({ code: 'validation_failed' }));
});

function jwkOf(key: CoseKey): object {
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
  if (key.kty === 2) return { kty: 'EC', crv: 'P-256', x: text(key.x), y: text(key.y) };
  if (key.kty === 3) return { kty: 'RSA', n: text(key.n), e: text(key.e) };
  throw new Error('Expected an EC or RSA key.');
}
