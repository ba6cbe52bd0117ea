import { Cursor, sameBytes, sha256 } from './bytes.js';
import { type CborMap, decodeCbor, isMap, leniencyOf } from './cbor.js';
import type { Ceremony } from './ceremonies.js';
import type { ClientData } from './client-data.js';
import { type CoseKey, readCoseKey } from './cose.js';
import type { Credential } from './credential.js';
import { hostOf } from './origin.js';
import { type CeremonyKind, check, guarded, type Party } from './party.js';

export interface AttestedCredential {
  readonly aaguid: Buffer;
  readonly id: Buffer;
  readonly key: CoseKey;
}

/** §6.1. */
export interface AuthenticatorData {
  readonly bytes: Uint8Array;
  readonly rpIdHash: Buffer;
  readonly userPresent: boolean;
  readonly userVerified: boolean;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
  readonly signCount: number;
  readonly attested?: AttestedCredential;
  readonly extensions?: CborMap;
}

export function readAuthenticatorData(bytes: Uint8Array, kind: CeremonyKind, party: Party): AuthenticatorData {
  return guarded(party, 'short-authenticator-data-crashes', 'authenticator_data_unreadable', () => read(bytes, kind, party));
}

function read(bytes: Uint8Array, kind: CeremonyKind, party: Party): AuthenticatorData {
  const { faults } = party;
  const cursor = new Cursor(bytes);
  const rpIdHash = cursor.take(32);
  const flags = cursor.number(1);
  const signCount = cursor.number(4);
  const attestedFlag = (flags & 0x40) !== 0 || (kind === 'create' && faults.has('at-flag-unchecked'));
  const attested = attestedFlag ? readAttested(cursor, party) : undefined;
  const extensions = flags & 0x80 ? readExtensions(cursor, party) : undefined;
  const whole = cursor.left === 0 || faults.has(`${kind}-authenticator-data-goes-on`);
  check(whole, 'authenticator_data_unreadable', `${cursor.left} bytes follow the authenticator data.`);
  return {
    bytes,
    rpIdHash,
    userPresent: (flags & 0x01) !== 0,
    userVerified: (flags & 0x04) !== 0,
    backupEligible: (flags & 0x08) !== 0,
    backedUp: (flags & 0x10) !== 0,
    signCount,
    ...(attested && { attested }),
    ...(extensions && { extensions }),
  };
}

function readAttested(cursor: Cursor, party: Party): AttestedCredential {
  const aaguid = cursor.take(16);
  const id = cursor.sized();
  return { aaguid, id, key: readCoseKey(readMap(cursor, party)) };
}

function readExtensions(cursor: Cursor, party: Party): CborMap {
  if (party.faults.has('extensions-unparsed')) {
    cursor.rest();
    return new Map();
  }
  const extensions = readMap(cursor, party);
  const named = [...extensions.keys()].every((key) => typeof key === 'string');
  check(named, 'authenticator_data_unreadable', 'Extension outputs are not keyed by names.');
  return extensions;
}

function readMap(cursor: Cursor, { faults }: Party): CborMap {
  const start = cursor.at;
  const bytes = cursor.rest();
  const { value, end } = decodeCbor(bytes, leniencyOf(faults));
  cursor.at = start + end;
  check(isMap(value), 'authenticator_data_unreadable', 'The authenticator data hold something else where a CBOR map belongs.');
  return value;
}

/** With this fault the body says whether the user was verified. */
export function claimedIn({ isVerified }: Credential, data: AuthenticatorData, { faults }: Party): AuthenticatorData {
  return faults.has('uv-from-body') && isVerified ? { ...data, userVerified: true } : data;
}

/** §7.1 steps 14 to 17, §7.2 steps 15 to 18. */
export function checkAuthenticatorData(data: AuthenticatorData, kind: CeremonyKind, ceremony: Ceremony, client: ClientData, party: Party) {
  const { faults } = party;
  if (!faults.has(`${kind}-rp-id-hash-unchecked`)) {
    check(rpIdFits(data.rpIdHash, ceremony, client, party), 'foreign_rp', 'The response was made for another RP ID.');
  }
  const present = data.userPresent || (faults.has('uv-stands-for-up') && data.userVerified);
  if (!faults.has(`${kind}-up-unchecked`)) check(present, 'nobody_there', 'Nobody was present.');
  const skipped =
    faults.has(`${kind}-uv-unchecked`) ||
    (faults.has('get-uv-unchecked-without-name') && kind === 'get' && ceremony.isNamed !== true) ||
    (faults.has('step-up-uv-unchecked') && ceremony.purpose === 'step-up');
  const demanded = ceremony.userVerification === 'required' && !skipped;
  const wished = ceremony.userVerification === 'preferred' && faults.has(`${kind}-uv-demanded`);
  if (demanded || wished) check(data.userVerified, 'user_unverified', 'The user was not verified.');
  if (ceremony.userVerification === 'discouraged' && faults.has('uv-refused-when-discouraged')) {
    check(!data.userVerified, 'user_verified', 'The user was verified though that was discouraged.');
  }
  if (!faults.has(`${kind}-bs-without-be`)) {
    check(data.backupEligible || !data.backedUp, 'backup_impossible', 'The credential is backed up and cannot be.');
  }
}

function rpIdFits(hash: Buffer, { rpId, origin }: Ceremony, client: ClientData, { faults }: Party): boolean {
  const expected = sha256(rpId);
  const parents = rpId.split('.').map((_, n, labels) => labels.slice(n).join('.'));
  const clientHost = hostOf(String(client.members['origin'])) ?? '';
  return (
    sameBytes(hash, expected) ||
    (faults.has('rp-id-hash-by-first-bytes') && sameBytes(hash.subarray(0, 8), expected.subarray(0, 8))) ||
    (faults.has('rp-id-hash-of-parent-domain') && parents.some((parent) => sameBytes(hash, sha256(parent)))) ||
    (faults.has('rp-id-hash-of-origin') && sameBytes(hash, sha256(origin))) ||
    (faults.has('rp-id-hash-from-client-origin') && sameBytes(hash, sha256(clientHost)))
  );
}
