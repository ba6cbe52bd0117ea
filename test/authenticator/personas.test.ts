import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { KNOWN_PERSONAS, PERSONA_NAMES, PERSONAS, type PersonaName } from '../../src/authenticator/personas/personas.js';
import { createClient } from '../../src/client/client.js';
import { formatAaguid, providerName } from '../../src/webauthn/aaguid.js';
import { decodeAttestationObject } from '../../src/webauthn/attestation-object.js';
import { decodeAuthenticatorData } from '../../src/webauthn/authenticator-data.js';
import { decodeBase64url } from '../../src/webauthn/base64url.js';
import { decodeCoseKey } from '../../src/webauthn/cose-key.js';
import { creation, ORIGIN, request } from '../client/ceremony.js';
import { personaTable } from './persona-table.js';
import { getRequest, granted, makeRequest, quickKeys } from './requests.js';

const ROOT = new URL('../../', import.meta.url);

interface Login {
  readonly authenticatorData: string;
  readonly userHandle?: string;
}

interface Recorded {
  readonly attestationObject?: string;
  readonly login?: Login;
}

/** A ceremony of a real authenticator: foreign ones of `real/`, and those that Chromium made for the package. */
function recording(file: string): Recorded {
  const folder = /^(registration|login)-/.test(file) ? 'fixtures/recorded/' : 'test/relying-party/attestation/real/';
  const json: { attestationObject?: string; authentication?: Login; response?: { response: Login & { attestationObject?: string } } } =
    JSON.parse(readFileSync(new URL(folder + file, ROOT), 'utf8'));
  const { attestationObject, authentication, response } = json;
  if (response === undefined) return { ...(attestationObject && { attestationObject }), ...(authentication && { login: authentication }) };
  const own = response.response;
  return own.attestationObject === undefined ? { login: own } : { attestationObject: own.attestationObject };
}

/** What a relying party sees of a registration, but for what the user and the options decide. */
function seenOf(attestationObject: Uint8Array) {
  const { fmt, attStmt, authData } = decodeAttestationObject(attestationObject);
  const { flags, signCount, attestedCredentialData: attested, extensions } = decodeAuthenticatorData(authData);
  if (attested === undefined) throw new Error('Expected attested credential data.');
  return {
    fmt,
    attStmt: [...attStmt.keys()].map(String).sort().join(),
    aaguid: formatAaguid(attested.aaguid),
    credentialIdLength: attested.credentialId.length,
    alg: decodeCoseKey(attested.credentialPublicKey).alg,
    flags: JSON.stringify(flags),
    counts: signCount > 0,
    extensions: [...(extensions?.keys() ?? [])].join(),
  };
}

/** Where a persona is meant to differ from a recording, and why. */
const DIFFERENCES: Readonly<Record<string, readonly string[]>> = {
  // Safari gave zeros until 2024.
  'safari-icloud-passkey-none.json': ['aaguid'],
  // The FIPS model of the same firmware.
  'yubikey-5-fips-eddsa.json': ['aaguid'],
  // Firmware 5.1, whose credentials that are not discoverable have IDs of 64 bytes.
  'yubikey-5-packed.json': ['aaguid', 'credentialIdLength'],
};

const recorded = PERSONA_NAMES.flatMap((name) =>
  KNOWN_PERSONAS[name].evidence.sources.filter((source) => source.endsWith('.json')).map((file) => [name, file] as const),
);

describe('a persona that was recorded', () => {
  test.each(recorded)('%s registers and logs in as %s', async (name, file) => {
    const { attestationObject, login } = recording(file);
    expect(attestationObject ?? login).toBeDefined();
    const theirs = attestationObject === undefined ? undefined : seenOf(decodeBase64url(attestationObject));
    const loginData = login && decodeAuthenticatorData(decodeBase64url(login.authenticatorData));
    const { uv } = theirs ? (JSON.parse(theirs.flags) as { uv: boolean }) : { uv: loginData?.flags.uv ?? false };
    const authenticator = createAuthenticator({ newPrivateKey: quickKeys, ...PERSONAS[name] });
    const made = granted(
      await authenticator.makeCredential(
        makeRequest({
          pubKeyCredParams: [{ type: 'public-key', alg: theirs?.alg ?? -7 }],
          requireUserVerification: uv,
          requireResidentKey: login?.userHandle !== undefined,
          attestationFormats: theirs ? [theirs.fmt] : [],
          extensions: theirs?.extensions.includes('credProtect') ? { credProtect: 2 } : {},
        }),
      ),
    );
    const ours = seenOf(made.attestationObject);
    if (theirs) {
      const differing = Object.entries(theirs).flatMap(([member, value]) => (Reflect.get(ours, member) === value ? [] : [member]));
      expect(differing).toEqual(DIFFERENCES[file] ?? []);
    }
    if (login && loginData) {
      const [held] = await authenticator.store.list();
      const allowCredentials = held && [{ type: 'public-key', id: held.id } as const];
      const got = granted(
        await authenticator.getAssertion(
          getRequest({ requireUserVerification: loginData.flags.uv, ...(allowCredentials && { allowCredentials }) }),
        ),
      );
      const { flags, signCount } = decodeAuthenticatorData(got.authenticatorData);
      const shown = { flags, counts: signCount > 0, userHandle: got.userHandle !== undefined };
      expect(shown).toEqual({ flags: loginData.flags, counts: loginData.signCount > 0, userHandle: login.userHandle !== undefined });
    }
  });
});

describe('every persona', () => {
  const providers: Partial<Record<PersonaName, string>> = {
    'icloud-keychain': 'iCloud Keychain',
    'google-password-manager': 'Google Password Manager',
    'windows-hello': 'Windows Hello',
    '1password': '1Password',
    bitwarden: 'Bitwarden',
    dashlane: 'Dashlane',
    'samsung-pass': 'Samsung Pass',
    'proton-pass': 'Proton Pass',
    keepassxc: 'KeePassXC',
    'android-legacy': 'Android',
    titan: 'Google Titan Security Key v2',
    'yubikey-5': 'YubiKey 5 Series with NFC',
    'yubikey-5-safari': 'YubiKey 5 Series with NFC',
  };

  test.each(PERSONA_NAMES)('%s registers with direct attestation and logs in through a client', async (name) => {
    const { attestation = 'none', backupEligible = false, backupState = false, transports = [] } = PERSONAS[name];
    const authenticator = createAuthenticator({ newPrivateKey: quickKeys, ...PERSONAS[name] });
    const client = createClient({ authenticator, origin: ORIGIN });
    const publicKey = creation({ attestation: 'direct', authenticatorSelection: { userVerification: 'preferred' } });
    const { id, response } = await client.create({ publicKey });
    const { fmt, authData } = decodeAttestationObject(decodeBase64url(response.attestationObject));
    const { flags, attestedCredentialData } = decodeAuthenticatorData(authData);
    expect(fmt).toBe(attestation === 'packed-x5c' ? 'packed' : attestation);
    expect(flags).toMatchObject({ up: true, be: backupEligible, bs: backupState });
    expect(providerName(formatAaguid(attestedCredentialData?.aaguid ?? new Uint8Array(16)))).toBe(providers[name]);
    expect(response.transports).toEqual(transports);
    const login = await client.get({ publicKey: request({ allowCredentials: [{ type: 'public-key', id }] }) });
    const { discoverable } = (await authenticator.store.list())[0] ?? {};
    expect('userHandle' in login.response).toBe(discoverable === true || (PERSONAS[name].serverSideUserHandle ?? 'absent') !== 'absent');
  });

  test('there are fifteen and more, each with its evidence', () => {
    expect(PERSONA_NAMES.length).toBeGreaterThanOrEqual(15);
    for (const name of PERSONA_NAMES) {
      const { evidence, options } = KNOWN_PERSONAS[name];
      expect([name, evidence.kind, evidence.sources.some((source) => source.endsWith('.json'))]).toEqual([
        name,
        evidence.kind,
        evidence.kind === 'recorded',
      ]);
      expect(evidence.date).toMatch(/^20\d\d-\d\d(-\d\d)?$/);
      expect([name, (evidence.assumed ?? []).filter((trait) => !(trait in options))]).toEqual([name, []]);
    }
  });

  test('what the table of docs/personas.md does not show', () => {
    const row = (name: PersonaName) => {
      const { attachment, residentKey, alwaysDiscoverable, serverSideUserHandle, userVerifier } = PERSONAS[name];
      return [name, attachment, residentKey, alwaysDiscoverable, serverSideUserHandle, userVerifier?.canVerify];
    };
    expect(PERSONA_NAMES.map(row)).toEqual([
      ['icloud-keychain', 'platform', undefined, true, undefined, undefined],
      ['google-password-manager', 'platform', undefined, true, undefined, undefined],
      ['1password', 'platform', undefined, true, undefined, undefined],
      ['bitwarden', 'platform', undefined, false, 'given', undefined],
      ['dashlane', 'platform', undefined, true, undefined, undefined],
      ['samsung-pass', 'platform', undefined, true, undefined, undefined],
      ['proton-pass', 'platform', undefined, true, undefined, undefined],
      ['keepassxc', 'platform', undefined, true, undefined, true],
      ['windows-hello', 'platform', undefined, true, undefined, undefined],
      ['android-legacy', 'platform', false, undefined, undefined, undefined],
      ['chrome-virtual', 'platform', undefined, undefined, undefined, undefined],
      ['yubikey-5', 'cross-platform', undefined, undefined, undefined, undefined],
      ['yubikey-5-safari', 'cross-platform', undefined, undefined, 'empty', undefined],
      ['security-key-u2f', 'cross-platform', false, undefined, undefined, false],
      ['titan', 'cross-platform', undefined, undefined, undefined, undefined],
      ['solo-2', 'cross-platform', undefined, undefined, undefined, undefined],
    ]);
  });

  test('stands in docs/personas.md as it is', () => {
    expect(readFileSync(new URL('docs/personas.md', ROOT), 'utf8')).toContain(personaTable());
  });
});

describe('quirks', () => {
  const loggedIn = async (name: PersonaName) => {
    const authenticator = createAuthenticator(PERSONAS[name]);
    granted(await authenticator.makeCredential(makeRequest({ requireResidentKey: false, requireUserVerification: false })));
    const [held] = await authenticator.store.list();
    const allowCredentials = held && [{ type: 'public-key', id: held.id } as const];
    const ask = getRequest({ requireUserVerification: false, ...(allowCredentials && { allowCredentials }) });
    return granted(await authenticator.getAssertion(ask));
  };

  test('an empty user handle, the credential’s own, or none for a credential that is not discoverable', async () => {
    expect((await loggedIn('yubikey-5-safari')).userHandle).toEqual(new Uint8Array());
    expect((await loggedIn('bitwarden')).userHandle).toEqual(makeRequest().user.id);
    expect((await loggedIn('yubikey-5')).userHandle).toBeUndefined();
  });

  test('a user handle is empty for the relying party too', async () => {
    const client = createClient({ authenticator: createAuthenticator(PERSONAS['yubikey-5-safari']), origin: ORIGIN });
    const { id } = await client.create({ publicKey: creation({ authenticatorSelection: { residentKey: 'discouraged' } }) });
    const { response } = await client.get({ publicKey: request({ allowCredentials: [{ type: 'public-key', id }] }) });
    expect(response.userHandle).toBe('');
  });

  test('KeePassXC says verified although nobody asked', async () => {
    expect(decodeAuthenticatorData((await loggedIn('keepassxc')).authenticatorData).flags.uv).toBe(true);
    expect(decodeAuthenticatorData((await loggedIn('1password')).authenticatorData).flags.uv).toBe(false);
  });
});
