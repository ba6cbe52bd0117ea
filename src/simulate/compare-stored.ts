import type { Fixture } from '../fixture/format.js';
import type { Passkey } from '../relying-party/credential-record.js';
import { decodeAuthenticatorData } from '../webauthn/authenticator-data.js';
import { decodeBase64, encodeBase64url } from '../webauthn/base64url.js';
import type { Room } from './in-process.js';
import type { Mismatch } from './report.js';
import { objectOf } from './scenario.js';

/** What the ceremony left in the store: the recorded credential record, the asserted sign count, or nothing new. */
export async function compareStored(fixture: Fixture, { store }: Room): Promise<Mismatch[]> {
  const id = decodeBase64(String(fixture.response.id))?.bytes ?? new Uint8Array();
  const passkey = await store.findPasskeyByCredentialId(id);
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
  const { rpName, origin, aaguid, attestation } = passkey;
  const { id, publicKey, signCount, uvInitialized, backupEligible, backupState, transports } = passkey.credential;
  const made = {
    id: encodeBase64url(id),
    publicKey: encodeBase64url(publicKey),
    signCount,
    uvInitialized,
    backupEligible,
    backupState,
    transports,
    aaguid,
    attestationFormat: attestation.format,
    rpName,
    origin,
  };
  return Object.entries(recorded).flatMap(([member, value]) => {
    const [wanted, got] = [JSON.stringify(value), JSON.stringify(objectOf(made)[member])];
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
  const { authenticatorData } = objectOf(response.response);
  return decodeAuthenticatorData(decodeBase64(String(authenticatorData))?.bytes ?? new Uint8Array()).signCount;
}

function stored(expected: string, received: string, member?: string): Mismatch {
  return { at: member === undefined ? 'stored record' : `stored record: ${member}`, expected, received };
}
