import type { Fixture, FixtureCredential } from '../../fixture/format.js';
import { integrityOf } from '../../fixture/write.js';
import { objectOf } from '../../kernel/json-value.js';
import type { NewPasskey } from '../../relying-party/credential-record.js';
import { decodeBase64url } from '../../webauthn/base64url.js';
import { parseUrl } from '../../webauthn/rp-id.js';
import { compareAnswer, describeAnswer } from './compare-answer.js';
import { compareBody, compareOptions, compareStored } from './compare-recording.js';
import { bearer, PATHS, post } from './http.js';
import type { InProcessServer, ServerUnderTest } from './in-process.js';
import type { Mismatch } from './report.js';
import { type Verdict, verdictOf } from './scenario.js';

/**
 * Replays a recording unchanged: the server under test issues the recorded challenge at the recorded time and receives the
 * recorded response, byte for byte. Options, answer and stored record are compared with the recording.
 */
export async function replayVerbatim(fixture: Fixture, inProcess: InProcessServer): Promise<Verdict> {
  const { ceremony, origin, expected } = fixture;
  const reason = whyNot(fixture);
  if (reason !== undefined) return { status: 'not_applicable', reason };
  const server = await inProcess.open({ policy: ceremony.policy, origins: ceremony.origins, now: Date.parse(ceremony.issuedAt) });
  await storeOwner(server, fixture);
  await storePasskeys(server, fixture);
  const challenge = decodeBase64url(ceremony.challenge);
  server.pinChallenge(challenge);

  const { optionsPath, responsePath, begin } = requestsOf(fixture);
  const headers = fixture.kind === 'registration' ? bearer((await server.accounts.createToken({ owner: fixture.owner })).token) : {};
  const integrity = compareIntegrity(fixture);
  const begun = await server.injected.send(post(optionsPath, begin, headers));
  if (begun.status !== 200) {
    const mismatch = { at: `POST ${optionsPath}`, expected: `options for ${origin} (200)`, received: describeAnswer(begun) };
    return verdictOf([...integrity, mismatch]);
  }
  const options = compareOptions(fixture, objectOf(begun.json), `options of POST ${optionsPath}`);

  if (ceremony.state === 'used') await server.store.takeCeremony(challenge, server.now());
  if (fixture.credential?.revoked) await revokeStored(server, fixture.credential);
  server.setTime(Date.parse(ceremony.answeredAt));
  const answer = await server.injected.send(post(responsePath, fixture.response, headers));

  const answered = compareAnswer(`POST ${responsePath}`, expected, answer);
  const stored = answered.length > 0 ? [] : [...compareBody(fixture, answer), ...(await compareStored(fixture, server.store))];
  return verdictOf([...integrity, ...options, ...answered, ...stored]);
}

/** What another relying party can ask for, and our API cannot; re-bound, such a recording is repeated all the same. */
function whyNot({ kind, rpId, origin, ceremony }: Fixture): string | undefined {
  const url = parseUrl(origin);
  if (url === undefined || !/^https?:$/.test(url.protocol)) return `the API begins no ceremony for ${origin}`;
  const named = kind === 'authentication' && ceremony.discoverable !== true;
  const { allowCredentials: asked } = ceremony.options;
  if (named && Array.isArray(asked) && asked.length > 1) return 'the API asks for one credential, and the recording for several';
  // The RP ID of a named credential is stored with it.
  return named || url.hostname === rpId ? undefined : `the API takes the host ${url.hostname} as RP ID, and the recording has ${rpId}`;
}

const DEV_REGISTER_OPTIONS = '/dev/register/options';

/** Paths of the two requests, and the body of the first. */
function requestsOf({ kind, rpId, origin, ceremony, response }: Fixture) {
  if (kind === 'registration') {
    const { name } = objectOf(ceremony.options.rp);
    const begin = { app_name: typeof name === 'string' ? name : rpId, app_url: origin };
    // Only the development endpoint can begin a conditional create.
    if (ceremony.mediation !== undefined) {
      return { optionsPath: DEV_REGISTER_OPTIONS, responsePath: PATHS.register, begin: { ...begin, mediation: ceremony.mediation } };
    }
    return { optionsPath: PATHS.registerOptions, responsePath: PATHS.register, begin };
  }
  if (ceremony.discoverable) {
    return { optionsPath: PATHS.loginOptions, responsePath: PATHS.login, begin: { app_url: origin } };
  }
  const { allowCredentials } = ceremony.options;
  const [asked] = Array.isArray(allowCredentials) ? allowCredentials : [];
  const begin = { credential_id: objectOf(asked).id ?? response.id };
  return { optionsPath: PATHS.verifyOptions, responsePath: PATHS.login, begin };
}

function compareIntegrity(fixture: Fixture): Mismatch[] {
  const received = integrityOf(fixture);
  if (fixture.integrity === undefined || fixture.integrity === received) return [];
  return [
    {
      at: 'integrity',
      expected: fixture.integrity,
      received,
      hint: 'The file was changed after it was recorded. Restore it, or remove its member "integrity" if the change is intended.',
    },
  ];
}

/** Stores the owner with the recorded id and user handle, so that the server creates neither. */
async function storeOwner({ store }: ServerUnderTest, fixture: Fixture): Promise<void> {
  const { type, id, userHandle } = fixture.owner;
  const { name, displayName } = objectOf(fixture.ceremony.options.user);
  await store.insertOwner({
    type,
    id,
    email: typeof name === 'string' ? name : 'recorded@example.org',
    name: typeof displayName === 'string' ? displayName : 'Recorded user',
    createdAt: Date.parse(fixture.ceremony.issuedAt),
  });
  await store.fixUserHandle({ type, id }, decodeBase64url(userHandle));
}

/** Stores what the relying party knew when the ceremony began: the asserted credential and `knownCredentials`. */
async function storePasskeys({ store }: ServerUnderTest, fixture: Fixture): Promise<void> {
  for (const id of fixture.ceremony.knownCredentials ?? []) await store.insertPasskey(placeholder(fixture, id));
  if (fixture.kind === 'authentication' && fixture.credential !== undefined) {
    await store.insertPasskey(passkeyOf(fixture, fixture.credential));
  }
}

function passkeyOf(fixture: Fixture, credential: FixtureCredential): NewPasskey {
  const { id, publicKey, rpName, origin, aaguid, attestationFormat, revoked: _, ...record } = credential;
  return {
    owner: { type: fixture.owner.type, id: fixture.owner.id },
    userHandle: decodeBase64url(fixture.owner.userHandle),
    rpId: fixture.rpId,
    rpName,
    origin,
    label: 'Recorded passkey',
    credential: {
      ...record,
      id: decodeBase64url(id),
      publicKey: decodeBase64url(publicKey),
      // An authentication never looks at the attestation.
      attestationObject: new Uint8Array(),
      attestationClientDataJSON: new Uint8Array(),
    },
    aaguid,
    attestation: { format: attestationFormat, trust: 'none' },
    authenticatorAttachment: undefined,
    clientExtensionResults: {},
    challenge: new Uint8Array(),
    createdAt: Date.parse(fixture.ceremony.issuedAt),
  };
}

/** A credential of which only the id matters. */
function placeholder(fixture: Fixture, id: string): NewPasskey {
  return passkeyOf(fixture, {
    id,
    publicKey: '',
    signCount: 0,
    uvInitialized: false,
    backupEligible: false,
    backupState: false,
    transports: [],
    aaguid: '00000000-0000-0000-0000-000000000000',
    attestationFormat: 'none',
    rpName: fixture.rpId,
    origin: fixture.ceremony.origins[0] ?? fixture.origin,
  });
}

async function revokeStored({ store, relyingParty }: ServerUnderTest, { id }: FixtureCredential): Promise<void> {
  const passkey = await store.findPasskeyByCredentialId(decodeBase64url(id));
  if (passkey !== undefined) await relyingParty.revoke(passkey.id, { reason: 'revoked in the recording' });
}
