import { createPublicKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { describeInFull, passkeyLines } from '../../src/cli/passkey/in-full.js';
import { createClient } from '../../src/client/client.js';
import type { Passkey } from '../../src/relying-party/credential-record.js';
import { openStore } from '../../src/store/open-store.js';
import { decodeAttestationObject } from '../../src/webauthn/attestation-object.js';
import { decodeAuthenticatorData } from '../../src/webauthn/authenticator-data.js';
import { decodeBase64url } from '../../src/webauthn/base64url.js';
import { NEVER_USED, newPasskey } from '../contract/samples.js';
import { runIn } from './run-in.js';
import { seeded } from './seeded-store.js';

async function recordedAttestation(): Promise<string> {
  const fixture = JSON.parse(await readFile(new URL('../../fixtures/recorded/registration-packed.json', import.meta.url), 'utf8'));
  return fixture.response.response.attestationObject;
}

/** Of our authenticator: its certificate has another issuer than subject, which the recorded one has not. */
async function newAttestation(): Promise<string> {
  const client = createClient({ authenticator: createAuthenticator({ attestation: 'packed-x5c' }), origin: 'https://example.com' });
  const { response } = await client.create({
    publicKey: {
      challenge: 'AAAAAAAAAAAAAAAAAAAAAA',
      rp: { id: 'example.com', name: 'Example' },
      user: { id: 'AQ', name: 'ada', displayName: 'Ada' },
      pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
      attestation: 'direct',
    },
  });
  return response.attestationObject;
}

/** Passkey 5 of `seeded`: a registration with a packed attestation, whose login opened a session and a token. */
async function withPacked(attested = recordedAttestation()) {
  const { cwd, store, passkey } = await seeded();
  const attestationObject = decodeBase64url(await attested);
  const { attestedCredentialData: data } = decodeAuthenticatorData(decodeAttestationObject(attestationObject).authData);
  const { credential, ...rest } = newPasskey({ aaguid: '00000000-0000-0000-0000-000000000000' });
  const opened = await openStore(store, { create: false });
  const { id } = await opened.insertPasskey({
    ...rest,
    credential: {
      ...credential,
      id: data?.credentialId ?? new Uint8Array(),
      publicKey: data?.credentialPublicKey ?? new Uint8Array(),
      attestationObject,
    },
    attestation: { format: 'packed', trust: 'untrusted' },
    clientExtensionResults: { prf: { enabled: true, results: { first: 'c2VjcmV0' } }, credProps: { rk: true } },
  });
  const access = { owner: rest.owner, passkeyId: id, label: undefined, createdAt: Date.UTC(2026, 0, 15), expiresAt: undefined };
  await opened.insertAccess({ ...access, kind: 'session', hash: new Uint8Array(32).fill(1) });
  await opened.insertAccess({ ...access, kind: 'token', hash: new Uint8Array(32).fill(2), label: 'login' });
  await opened.insertAccess({ ...access, kind: 'token', hash: new Uint8Array(32).fill(3), passkeyId: 1 });
  await opened.close();
  return { cwd, passkey, credentialId: Buffer.from(data?.credentialId ?? []), x5c: decodeAttestationObject(attestationObject) };
}

describe('passkey show', () => {
  test('decodes key, flags, certificates and extensions, and keeps secrets to itself', async () => {
    const { passkey, credentialId } = await withPacked();
    const { stdout } = await passkey('show', '5', '--json');
    const shown = JSON.parse(stdout);
    expect(shown).toMatchObject({
      id: 5,
      passkeeable_email: 'ada@example.com',
      credential_id_hex: credentialId.toString('hex'),
      algorithm: 'ES256',
      key: { type: 'EC2', curve: 'P-256', jwk: { kty: 'EC', crv: 'P-256' } },
      authenticator_data: { flags: ['UP', 'UV', 'AT'], extensions: {} },
      client_extension_results: { prf: { enabled: true }, credProps: { rk: true } },
      live_sessions: 1,
      live_tokens: 1,
    });
    // Node reads both forms of the key, as the same.
    expect(createPublicKey(shown.key.pem).export({ format: 'jwk' })).toStrictEqual(shown.key.jwk);
    expect(shown.certificates).toHaveLength(1);
    const [{ der, serial_number, not_before, not_after, subject, issuer }] = shown.certificates;
    const node = new X509Certificate(Buffer.from(der, 'base64url'));
    expect(serial_number).toBe(node.serialNumber.toLowerCase());
    expect([Date.parse(not_before), Date.parse(not_after)]).toStrictEqual([Date.parse(node.validFrom), Date.parse(node.validTo)]);
    for (const part of node.subject.split('\n')) expect(subject).toContain(part);
    for (const part of node.issuer.split('\n')) expect(issuer).toContain(part);
    expect(stdout).not.toMatch(/c2VjcmV0|"results"/);
  });

  test('has a line for each on a terminal, and the key in PEM', async () => {
    const { passkey } = await withPacked();
    const { stdout } = await passkey('show', '5');
    expect(stdout).toMatch(/^key type +EC2, P-256$/m);
    expect(stdout).toMatch(/^registration flags +UP UV AT$/m);
    expect(stdout).toMatch(/^certificate 1 +.+; issued by .+; valid 20\d\d-\S+Z to 20\d\d-\S+Z$/m);
    expect(stdout).toMatch(/^opened +1 live session, 1 live token$/m);
    expect(createPublicKey(stdout.slice(stdout.indexOf('-----BEGIN'))).asymmetricKeyType).toBe('ec');
  });

  test('names subject and issuer of a certificate, each by its own name', async () => {
    const { passkey } = await withPacked(newAttestation());
    const [{ der, subject, issuer, not_before, not_after }] = JSON.parse((await passkey('show', '5', '--json')).stdout).certificates;
    const node = new X509Certificate(Buffer.from(der, 'base64url'));
    expect(node.issuer).not.toBe(node.subject);
    // Node escapes a comma in a value.
    const parts = (name: string) => name.replaceAll('\\', '').split('\n');
    for (const part of parts(node.subject)) expect(subject).toContain(part);
    for (const part of parts(node.issuer)) expect(issuer).toContain(part);
    const { stdout } = await passkey('show', '5');
    expect(stdout).toContain(`  ${subject}; issued by ${issuer}; valid ${not_before} to ${not_after}\n`);
  });

  test('takes a credential ID in any encoding, and a range that names one', async () => {
    const { passkey, credentialId: id } = await withPacked();
    const hex = id.toString('hex');
    const texts = [
      id.toString('base64url'),
      id.toString('base64'),
      hex,
      hex.toUpperCase(),
      hex.replaceAll(/(..)(?=.)/g, '$1:'),
      '5-9',
      '5',
    ];
    for (const text of texts) {
      const { code, stdout } = await passkey('show', '--json', '--', text);
      expect([code, code === 0 && JSON.parse(stdout).id], text).toStrictEqual([0, 5]);
    }
  });

  test.each([
    ['99', 1, /^passkey: No passkey has the id 99\. Run/],
    ['6-99', 1, /^passkey: No passkey has an id from 6 to 99\./],
    ['AAAA', 1, /^passkey: No passkey has the credential ID AAAA\./],
    ['1-2', 2, /^passkey: Name one passkey; "1-2" names several\./],
    ['0', 2, /^passkey: Expected a passkey id such as 3, a range .* got "0"\./],
    ['7-3', 2, /^passkey: Expected a passkey id such as 3, a range .* got "7-3"\./],
    ['phone!', 2, /^passkey: Expected a passkey id such as 3, a range .* got "phone!"\./],
  ])('of %s exits %i', async (text, exit, message) => {
    const { passkey } = await seeded();
    const { code, stdout, stderr } = await passkey('show', text);
    expect([code, stdout]).toStrictEqual([exit, '']);
    expect(stderr).toMatch(message);
  });
});

describe('the parts of a passkey in full', () => {
  const passkey: Passkey = { ...newPasskey({}), id: 1, ...NEVER_USED };
  const whole = (more: Partial<Passkey>) => describeInFull({ ...passkey, ...more }, { email: undefined, live: [] });

  test('have the client extensions without the results of prf', () => {
    const results = (clientExtensionResults: Passkey['clientExtensionResults']) =>
      whole({ clientExtensionResults }).client_extension_results;
    expect(results({})).toStrictEqual({});
    expect(results({ credProps: { rk: false } })).toStrictEqual({ credProps: { rk: false } });
    expect(results({ prf: null, largeBlob: { supported: true } })).toStrictEqual({ prf: null, largeBlob: { supported: true } });
    expect(results({ prf: { enabled: false } })).toStrictEqual({ prf: { enabled: false } });
    expect(results({ prf: { enabled: true, results: { first: 'secret' } } })).toStrictEqual({ prf: { enabled: true } });
  });

  test('are lines of a name and a value, and the key stands at the end', () => {
    const certificate = { subject: 'CN=Device', issuer: 'CN=Root', serial_number: '0a', not_before: 'A', not_after: 'B', der: 'AA' };
    const lines = passkeyLines({
      ...whole({ attestation: { format: 'packed', trust: 'untrusted' } }),
      key: { type: 'EC2', curve: 'P-256', jwk: { kty: 'EC' }, pem: 'PEM\n' },
      authenticator_data: { flags: ['UP', 'AT'], sign_count: 7, extensions: { credProtect: 2 } },
      certificates: [certificate, { ...certificate, subject: 'CN=Root', issuer: '' }],
      client_extension_results: { credProps: { rk: true } },
      live_sessions: 1,
      live_tokens: 2,
    });
    const [table = '', ...after] = lines.split('\n\n');
    expect(after).toEqual(['PEM']);
    const rows = table.split('\n').map((line) => [line.slice(0, 26), line.slice(26)] as const);
    expect(rows.every(([name]) => /^\w.* {2}$/.test(name))).toBe(true);
    expect(Object.fromEntries(rows.map(([name, value]) => [name.trimEnd(), value]))).toMatchObject({
      id: '1',
      label: 'iCloud Keychain',
      'last used at': '-',
      transports: 'internal, hybrid',
      'uv initialized': 'yes',
      'backup state': 'no',
      'attestation format': 'packed',
      'key type': 'EC2, P-256',
      jwk: '{"kty":"EC"}',
      'registration flags': 'UP AT',
      'authenticator extensions': '{"credProtect":2}',
      'client extensions': '{"credProps":{"rk":true}}',
      'certificate 1': 'CN=Device; issued by CN=Root; valid A to B',
      'certificate 2': 'CN=Root; issued by no issuer; valid A to B',
      opened: '1 live session, 2 live tokens',
    });
    expect(passkeyLines({ ...whole({}), transports: [] })).toMatch(/^transports +-$/m);
  });

  test('are null, or say so, where nothing can be decoded', () => {
    const broken = { ...passkey.credential, publicKey: Uint8Array.of(0), attestationObject: Uint8Array.of(0) };
    const shown = whole({ credential: broken, clientExtensionResults: {} });
    expect(shown).toMatchObject({ key: null, authenticator_data: null, certificates: [] });
    const text = passkeyLines({
      ...shown,
      certificates: [{ subject: null, issuer: null, serial_number: null, not_before: null, not_after: null, der: 'AA' }],
    });
    for (const line of [
      /^key type +-$/m,
      /^jwk +-$/m,
      /^registration flags +-$/m,
      /^client extensions +-$/m,
      /^certificate 1 +cannot be decoded$/m,
    ]) {
      expect(text).toMatch(line);
    }
    expect(text).not.toContain('BEGIN');
    const nameless = { subject: '', issuer: '', serial_number: '1', not_before: 'A', not_after: 'B', der: 'AA' };
    expect(passkeyLines({ ...shown, certificates: [nameless] })).toMatch(/^certificate 1 +no subject; issued by no issuer; valid A to B$/m);
  });
});

describe('passkey user show', () => {
  test('has everything about a user', async () => {
    const { passkey } = await withPacked();
    const user = JSON.parse((await passkey('user', 'show', 'ada@example.com', '--json')).stdout);
    expect(user).toMatchObject({
      id: 1,
      type: 'User',
      email: 'ada@example.com',
      passkeys: 3,
      revoked_passkeys: 0,
      user_handle: null,
      last_used_at: '2026-01-15T11:30:00.000000Z',
      live_sessions: 1,
      tokens: [
        { id: 2, label: 'login', passkey_id: 5 },
        { id: 3, passkey_id: 1 },
      ],
      passkey_list: [{ id: 1 }, { id: 2 }, { id: 5 }],
    });
    const { stdout } = await passkey('user', 'show', 'Admin:1');
    expect(stdout).toMatch(/^name +Bob \\x1b\[2J$/m);
    expect(stdout).toMatch(/^passkeys +1 live passkey, 0 revoked$/m);
    expect(stdout).toMatch(/^ 4 /m);
  });

  test('shows the user handle in each form', async () => {
    const { passkey, store } = await seeded();
    const opened = await openStore(store, { create: false });
    await opened.fixUserHandle({ type: 'User', id: 1 }, new TextEncoder().encode('1'));
    await opened.fixUserHandle({ type: 'User', id: 2 }, new Uint8Array([0xff, 0]));
    await opened.close();
    const handles = async (user: string) => {
      const { user_handle, user_handle_hex, user_handle_text } = JSON.parse((await passkey('user', 'show', user, '--json')).stdout);
      return [user_handle, user_handle_hex, user_handle_text];
    };
    expect(await handles('1')).toStrictEqual(['MQ', '31', '1']);
    expect(await handles('2')).toStrictEqual(['_wA', 'ff00', null]);
  });
});

describe('passkey user edit', () => {
  test('changes name and e-mail, and leaves the rest', async () => {
    const { passkey } = await seeded();
    expect(await passkey('user', 'edit', 'ada@example.com', '--email', 'ada@new.example', '--name', 'Ada L.')).toStrictEqual({
      code: 0,
      stdout: 'User:1\n',
      stderr: 'Ada <ada@example.com> is now Ada L. <ada@new.example>.\n',
    });
    expect(JSON.parse((await passkey('user', 'edit', 'User:1', '--name', 'Ada', '--json')).stdout)).toMatchObject({
      id: 1,
      email: 'ada@new.example',
      name: 'Ada',
      passkeys: 2,
    });
    expect((await passkey('user', 'edit', '1', '--name', 'Ada')).stderr).toBe(
      'Ada <ada@new.example> already has these values; nothing was changed.\n',
    );
  });

  test.each([
    [['User:1'], 2, /^passkey: Say what to change: give --email, --name or both\./],
    [['User:1', '--email', 'bob@example.com'], 1, /^passkey: bob@example\.com already belongs to User:2\./],
    [['User:1', '--email', 'nobody'], 2, /^passkey: --email expects an e-mail address/],
    [['User:1', '--name', 'x'.repeat(999)], 2, /^passkey: The user cannot be changed: The name must have/],
    [['bob@example.com', '--name', 'B'], 2, /^passkey: Expected one user with the e-mail bob@example\.com/],
    [['User:9', '--name', 'B'], 1, /^passkey: No user matches "User:9"/],
  ])('%j is refused', async (argv, exit, message) => {
    const { cwd } = await seeded();
    const { code, stdout, stderr } = await runIn(cwd, ['user', 'edit', ...argv]);
    expect(stderr).toMatch(message);
    expect([code, stdout]).toStrictEqual([exit, '']);
  });
});
