import type { Fixture } from '../../fixture/format.js';
import { credentialMembers } from '../../fixture/recorded-ceremony.js';
import { type JsonObject, objectOf } from '../../kernel/json-value.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import { decodeAuthenticatorData } from '../../webauthn/authenticator-data.js';
import { decodeBase64, encodeBase64 } from '../../webauthn/base64url.js';
import type { HttpAnswer } from './http.js';
import type { MemoryStore } from './in-process.js';
import type { Mismatch } from './report.js';

const bytesOf = (text: unknown) => decodeBase64(String(text))?.bytes ?? new Uint8Array();

/**
 * Compares the options that the server under test sent with the recorded ones. Extensions, hints and lists of other
 * credentials are left out: the recorded page chose them, and verification does not depend on them.
 */
export function compareOptions(fixture: Fixture, sent: JsonObject, at: string): Mismatch[] {
  const recorded = { ...fixture.ceremony.options, challenge: fixture.ceremony.challenge };
  const wanted = fixture.kind === 'registration' ? creationMembers(recorded) : requestMembers(recorded, fixture);
  const received = fixture.kind === 'registration' ? creationMembers(sent) : requestMembers(sent, fixture);
  return Object.entries(wanted).flatMap(([member, value]) => {
    const [expected, got] = [JSON.stringify(value), JSON.stringify(received[member])];
    return value === undefined || expected === got ? [] : [{ at: `${at}: ${member}`, expected, received: got ?? 'nothing' }];
  });
}

/** The members that decide the outcome of a registration, by path. */
function creationMembers(options: JsonObject): JsonObject {
  const [rp, user, selection] = [objectOf(options.rp), objectOf(options.user), objectOf(options.authenticatorSelection)];
  const { pubKeyCredParams: parameters } = options;
  return {
    challenge: options.challenge,
    'rp.id': rp.id,
    'rp.name': rp.name,
    'user.id': user.id,
    'user.name': user.name,
    'user.displayName': user.displayName,
    algorithms: Array.isArray(parameters) ? parameters.map((parameter) => objectOf(parameter).alg) : undefined,
    timeout: options.timeout,
    attestation: options.attestation,
    'authenticatorSelection.residentKey': selection.residentKey,
    'authenticatorSelection.userVerification': selection.userVerification,
  };
}

/** The members that decide the outcome of an authentication. */
function requestMembers(options: JsonObject, { ceremony }: Fixture): JsonObject {
  const { allowCredentials } = options;
  const ids = Array.isArray(allowCredentials) ? allowCredentials.map((descriptor) => objectOf(descriptor).id) : undefined;
  return {
    challenge: options.challenge,
    timeout: options.timeout,
    userVerification: options.userVerification,
    // A named credential determines the RP ID, which the API then leaves out; other endpoints may send it all the same.
    ...(ceremony.discoverable ? { rpId: options.rpId } : { allowCredentials: ids }),
  };
}

/** The answer must name the recorded credential or user. */
export function compareBody({ kind, expected: { outcome }, response, owner }: Fixture, { json }: HttpAnswer): Mismatch[] {
  if (outcome !== 'verified') return [];
  const body = objectOf(json);
  const [member, received, expected] =
    kind === 'registration'
      ? ['passkey.credential_id', objectOf(body.passkey).credential_id, encodeBase64(bytesOf(response.id))]
      : ['user.id', objectOf(body.user).id, owner.id];
  return received === expected ? [] : [{ at: `${member} of the answer`, expected: String(expected), received: String(received) }];
}

/** What the ceremony must leave in the store: the recorded credential record, the asserted sign count, or nothing new. */
export async function compareStored(fixture: Fixture, store: MemoryStore): Promise<Mismatch[]> {
  const passkey = await store.findPasskeyByCredentialId(bytesOf(fixture.response.id));
  return fixture.kind === 'registration' ? compareRegistered(fixture, passkey) : compareAsserted(fixture, passkey);
}

function compareRegistered({ expected, credential, ceremony, response }: Fixture, passkey: Passkey | undefined): Mismatch[] {
  if (expected.outcome === 'rejected') {
    const known = ceremony.knownCredentials?.includes(String(response.id)) ?? false;
    return passkey === undefined || known ? [] : [stored('nothing of a refused registration', `passkey ${passkey.id}`)];
  }
  if (passkey === undefined) return [stored('the new passkey', 'nothing')];
  if (credential === undefined) return [];
  const { revoked: _, ...recorded } = credential;
  const made = objectOf(credentialMembers(passkey));
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
  return decodeAuthenticatorData(bytesOf(objectOf(response.response).authenticatorData)).signCount;
}

function stored(expected: string, received: string, member?: string): Mismatch {
  return { at: member === undefined ? 'stored record' : `stored record: ${member}`, expected, received };
}
