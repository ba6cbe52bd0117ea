import type { Fixture, FixtureCredential } from '../../fixture/format.js';
import { credentialMembers } from '../../fixture/recorded-ceremony.js';
import { computeIntegrity } from '../../fixture/write.js';
import { asObject, type JsonObject } from '../../kernel/json-value.js';
import type { NewPasskey, Passkey } from '../../relying-party/credential-record.js';
import { decodeAuthenticatorData } from '../../webauthn/authenticator-data.js';
import { decodeBase64, decodeBase64url, encodeBase64 } from '../../webauthn/base64url.js';
import { requestedAppId } from '../../webauthn/extensions.js';
import { parseUrl } from '../../webauthn/rp-id.js';
import { bearer, type HttpAnswer, PATHS, post } from '../http/http.js';
import { DIFFERS } from '../report/deviation.js';
import type { Mismatch } from '../report/report.js';
import type { InProcessServer, MemoryStore, ServerUnderTest } from './in-process.js';
import { ACCEPTED, compareAnswer } from './outcome.js';
import { toVerdict, type Verdict } from './scenario.js';

/**
 * Replays a recording unchanged: the server under test issues the recorded challenge at the recorded time and receives the recorded
 * response, byte for byte. Compares the options, the final response and the stored record with the recording.
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

  const { optionsPath, responsePath, begin } = describeRequests(fixture);
  const headers = fixture.kind === 'registration' ? bearer((await server.accounts.createToken({ owner: fixture.owner })).token) : {};
  const integrity = compareIntegrity(fixture);
  const begun = await server.injected.send(post(optionsPath, begin, headers));
  if (begun.status !== 200) {
    const given = compareAnswer(`POST ${optionsPath}`, ACCEPTED, begun);
    return toVerdict([...integrity, ...given.map((mismatch) => ({ ...mismatch, expected: `options for ${origin} (200)` }))]);
  }
  const options = compareOptions(fixture, asObject(begun.json), `options of POST ${optionsPath}`);

  if (ceremony.state === 'used') await server.store.takeCeremony(challenge, server.now());
  if (fixture.credential?.revoked) await revokeStored(server, fixture.credential);
  server.setTime(Date.parse(ceremony.answeredAt));
  const answer = await server.injected.send(post(responsePath, fixture.response, headers));

  const answered = compareAnswer(`POST ${responsePath}`, expected, answer);
  const stored = answered.length > 0 ? [] : [...compareBody(fixture, answer), ...(await compareStored(fixture, server.store))];
  return toVerdict([...integrity, ...options, ...answered, ...stored]);
}

/**
 * Explains why our own API cannot replay the recorded ceremony unchanged. Undefined if it can. Does not affect the re-bound replay, which
 * always runs.
 */
function whyNot({ kind, rpId, origin, ceremony }: Fixture): string | undefined {
  const url = parseUrl(origin);
  if (url === undefined || !/^https?:$/.test(url.protocol)) return `the API does not begin ceremonies for ${origin}`;
  const named = kind === 'authentication' && ceremony.discoverable !== true;
  const { allowCredentials: asked } = ceremony.options;
  if (named && Array.isArray(asked) && asked.length > 1) {
    return 'the API can ask for only one credential, but the recording asks for several';
  }
  // The RP ID of a named credential is stored with it.
  return named || url.hostname === rpId ? undefined : `the API uses the host ${url.hostname} as RP ID, but the recording uses ${rpId}`;
}

/** Endpoints of our own API that let the client choose the options freely. */
const DEV_OPTIONS = { register: '/dev/register/options', verify: '/dev/verify/options', login: '/dev/login/options' };

/** Lists the paths of the two requests of a replay, and the body of the first request. */
function describeRequests({ kind, rpId, origin, ceremony, response }: Fixture) {
  if (kind === 'registration') {
    const { name } = asObject(ceremony.options.rp);
    const begin = { app_name: typeof name === 'string' ? name : rpId, app_url: origin };
    // Only the development endpoint can begin a conditional create.
    if (ceremony.mediation !== undefined) {
      return { optionsPath: DEV_OPTIONS.register, responsePath: PATHS.register, begin: { ...begin, mediation: ceremony.mediation } };
    }
    return { optionsPath: PATHS.registerOptions, responsePath: PATHS.register, begin };
  }
  // Only the development endpoints take extensions, and appid decides what the RP ID hash is of (§10.1.1).
  const appid = requestedAppId(ceremony.options);
  const more = appid === undefined ? {} : { options: { extensions: { appid } } };
  if (ceremony.discoverable) {
    const optionsPath = appid === undefined ? PATHS.loginOptions : DEV_OPTIONS.login;
    return { optionsPath, responsePath: PATHS.login, begin: { app_url: origin, ...more } };
  }
  const { allowCredentials } = ceremony.options;
  const [asked] = Array.isArray(allowCredentials) ? allowCredentials : [];
  const begin = { credential_id: asObject(asked).id ?? response.id, ...more };
  return { optionsPath: appid === undefined ? PATHS.verifyOptions : DEV_OPTIONS.verify, responsePath: PATHS.login, begin };
}

function compareIntegrity(fixture: Fixture): Mismatch[] {
  const received = computeIntegrity(fixture);
  if (fixture.integrity === undefined || fixture.integrity === received) return [];
  return [
    {
      at: 'integrity',
      expected: fixture.integrity,
      received,
      deviation: DIFFERS,
      hint: 'The file was changed after it was recorded. Restore it, or remove its member "integrity" if the change is intended.',
    },
  ];
}

/** Stores the recorded owner of the passkey with the recorded ID and user handle, so that the server does not create new ones. */
async function storeOwner({ store }: ServerUnderTest, fixture: Fixture): Promise<void> {
  const { type, id, userHandle } = fixture.owner;
  const { name, displayName } = asObject(fixture.ceremony.options.user);
  await store.insertOwner({
    type,
    id,
    email: typeof name === 'string' ? name : 'recorded@example.org',
    name: typeof displayName === 'string' ? displayName : 'Recorded user',
    createdAt: Date.parse(fixture.ceremony.issuedAt),
  });
  await store.fixUserHandle({ type, id }, decodeBase64url(userHandle));
}

/**
 * Stores the credential records that the relying party had when the recorded ceremony began: the one used in a login, and
 * `knownCredentials`.
 */
async function storePasskeys({ store }: ServerUnderTest, fixture: Fixture): Promise<void> {
  for (const id of fixture.ceremony.knownCredentials ?? []) await store.insertPasskey(placeholder(fixture, id));
  if (fixture.kind === 'authentication' && fixture.credential !== undefined) {
    await store.insertPasskey(toPasskey(fixture, fixture.credential));
  }
}

function toPasskey(fixture: Fixture, credential: FixtureCredential): NewPasskey {
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

/** Makes a credential record for which only the ID matters; all other values are placeholders. */
function placeholder(fixture: Fixture, id: string): NewPasskey {
  return toPasskey(fixture, {
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

const readBytes = (text: unknown) => decodeBase64(String(text))?.bytes ?? new Uint8Array();

/**
 * Compares the options that the server under test sent with the recorded ones. Ignores extensions, hints and lists of other credentials:
 * the recorded page chose them, and verification does not depend on them.
 */
function compareOptions(fixture: Fixture, sent: JsonObject, at: string): Mismatch[] {
  const recorded = { ...fixture.ceremony.options, challenge: fixture.ceremony.challenge };
  const wanted = fixture.kind === 'registration' ? creationMembers(recorded) : requestMembers(recorded, fixture);
  const received = fixture.kind === 'registration' ? creationMembers(sent) : requestMembers(sent, fixture);
  return Object.entries(wanted).flatMap(([member, value]) => {
    const [expected, got] = [JSON.stringify(value), JSON.stringify(received[member])];
    return value === undefined || expected === got
      ? []
      : [{ at: `${at}: ${member}`, expected, received: got ?? 'nothing', deviation: DIFFERS }];
  });
}

/** Selects those members of the creation options that decide the outcome of a registration. The result maps paths to values. */
function creationMembers(options: JsonObject): JsonObject {
  const [rp, user, selection] = [asObject(options.rp), asObject(options.user), asObject(options.authenticatorSelection)];
  const { pubKeyCredParams: parameters } = options;
  return {
    challenge: options.challenge,
    'rp.id': rp.id,
    'rp.name': rp.name,
    'user.id': user.id,
    'user.name': user.name,
    'user.displayName': user.displayName,
    algorithms: Array.isArray(parameters) ? parameters.map((parameter) => asObject(parameter).alg) : undefined,
    timeout: options.timeout,
    attestation: options.attestation,
    'authenticatorSelection.residentKey': selection.residentKey,
    'authenticatorSelection.userVerification': selection.userVerification,
  };
}

/** Selects those members of the request options that decide the outcome of an authentication. */
function requestMembers(options: JsonObject, { ceremony }: Fixture): JsonObject {
  const { allowCredentials } = options;
  const ids = Array.isArray(allowCredentials) ? allowCredentials.map((descriptor) => asObject(descriptor).id) : undefined;
  return {
    challenge: options.challenge,
    timeout: options.timeout,
    userVerification: options.userVerification,
    // A named credential determines the RP ID, which the API then leaves out; other endpoints may send it all the same.
    ...(ceremony.discoverable ? { rpId: options.rpId } : { allowCredentials: ids }),
  };
}

/** Checks that the response to the finished ceremony names the recorded credential or user. */
function compareBody({ kind, expected: { outcome }, response, owner }: Fixture, { json }: HttpAnswer): Mismatch[] {
  if (outcome !== 'verified') return [];
  const body = asObject(json);
  const [member, received, expected] =
    kind === 'registration'
      ? ['passkey.credential_id', asObject(body.passkey).credential_id, encodeBase64(readBytes(response.id))]
      : ['user.id', asObject(body.user).id, owner.id];
  return received === expected
    ? []
    : [{ at: `${member} of the answer`, expected: String(expected), received: String(received), deviation: DIFFERS }];
}

/**
 * Compares the stored record with the recorded credential, or after a login with the recorded sign count. Also checks that a refused
 * ceremony has stored nothing new.
 */
async function compareStored(fixture: Fixture, store: MemoryStore): Promise<Mismatch[]> {
  const passkey = await store.findPasskeyByCredentialId(readBytes(fixture.response.id));
  return fixture.kind === 'registration' ? compareRegistered(fixture, passkey) : compareAsserted(fixture, passkey);
}

function compareRegistered({ expected, credential, ceremony, response }: Fixture, passkey: Passkey | undefined): Mismatch[] {
  if (expected.outcome === 'rejected') {
    const known = ceremony.knownCredentials?.includes(String(response.id)) ?? false;
    return passkey === undefined || known ? [] : [stored('no passkey from a refused registration', `passkey ${passkey.id}`)];
  }
  if (passkey === undefined) return [stored('the new passkey', 'nothing')];
  if (credential === undefined) return [];
  const { revoked: _, ...recorded } = credential;
  const made = asObject(credentialMembers(passkey));
  return Object.entries(recorded).flatMap(([member, value]) => {
    const [wanted, got] = [JSON.stringify(value), JSON.stringify(made[member])];
    return wanted === got ? [] : [stored(wanted, got ?? 'nothing', member)];
  });
}

function compareAsserted({ expected, credential, response }: Fixture, passkey: Passkey | undefined): Mismatch[] {
  if (passkey === undefined || credential === undefined) return [];
  const signCount = expected.outcome === 'verified' ? assertedSignCount(response) : credential.signCount;
  if (signCount === passkey.credential.signCount) return [];
  return [stored(String(signCount), String(passkey.credential.signCount), 'signCount')];
}

function assertedSignCount(response: Fixture['response']): number {
  return decodeAuthenticatorData(readBytes(asObject(response.response).authenticatorData)).signCount;
}

function stored(expected: string, received: string, member?: string): Mismatch {
  return { at: member === undefined ? 'stored record' : `stored record: ${member}`, expected, received, deviation: DIFFERS };
}
