import { assessTrust, verifyStatements } from './attestation/verify.js';
import { type AttestedCredential, checkAuthenticatorData, claimedIn, readAuthenticatorData } from './authenticator-data.js';
import { sameBytes } from './bytes.js';
import { type CborMap, decodeCbor, isBytes, isMap, leniencyOf } from './cbor.js';
import type { Ceremony } from './ceremonies.js';
import { type ClientData, checkClientData } from './client-data.js';
import { importKey } from './cose.js';
import type { Credential } from './credential.js';
import { checkModel } from './models.js';
import { check, guarded, type Party, refuse } from './party.js';
import { bytesOf } from './request.js';
import type { Passkey } from './store.js';

export type NewPasskey = Omit<Passkey, 'id' | 'removed' | 'userId' | 'label'>;

interface RegistrationInput {
  readonly credential: Credential;
  readonly client: ClientData;
  readonly ceremony: Ceremony;
  /** The Origin header of the request. */
  readonly header: string | undefined;
}

/** §7.1 from step 7 on, but for the challenge (taken before) and step 27 (done by the store). */
export function verifyRegistration({ credential, client, ceremony, header }: RegistrationInput, party: Party): NewPasskey {
  const { faults } = party;
  const { response } = credential;
  checkClientData(client, 'create', ceremony, header, party);

  const object = readAttestationObject(bytesOf(response, 'attestationObject', party), party);
  const signedData = object.get('authData');
  const copied = faults.has('authenticator-data-from-unsigned-copy') && response['authenticatorData'] !== undefined;
  const dataBytes = copied ? bytesOf(response, 'authenticatorData', party) : signedData;
  if (!isBytes(dataBytes)) refuse('attestation_unreadable', 'The attestation object holds no authenticator data.');
  const data = readAuthenticatorData(dataBytes, 'create', party);
  checkAuthenticatorData(claimedIn(credential, data, party), 'create', ceremony, client, party);
  const attested = data.attested ?? refuse('attestation_unreadable', 'The authenticator data hold no credential.');
  if (faults.has('create-extensions-refused')) check(data.extensions === undefined, 'extension_unasked', 'No extension was asked for.');
  if (faults.has('backup-eligible-refused')) check(!data.backupEligible, 'not_device_bound', 'The credential can be backed up.');
  if (party.policy.counts === 'required') check(data.signCount > 0, 'does_not_count', 'The authenticator does not count.');
  if (faults.has('nonzero-counter-refused-at-creation')) check(data.signCount === 0, 'counts', 'A new credential counts from zero.');

  checkKey(attested, ceremony, credential, party);
  checkStatement(object, { data, attested, client, party }, ceremony, credential);
  checkId(attested, credential, party);
  const unsignedKey = faults.has('public-key-from-unsigned-copy') && response['publicKey'] !== undefined;
  return {
    rpId: ceremony.rpId,
    origin: ceremony.origin,
    credentialId: faults.has('credential-id-from-response') ? credential.id : attested.id,
    idText: credential.idText,
    key: faults.has('algorithm-of-unsigned-copy-only') ? { ...attested.key, alg: Number(response['publicKeyAlgorithm']) } : attested.key,
    ...(unsignedKey && { unsignedKey: bytesOf(response, 'publicKey', party) }),
    backupEligible: data.backupEligible,
    backedUp: data.backedUp,
    signCount: data.signCount,
    transports: credential.transports,
    createdAt: party.now(),
  };
}

/** §7.1 step 13. */
function readAttestationObject(bytes: Uint8Array, party: Party): CborMap {
  const { faults } = party;
  const { value, end } = guarded(party, 'malformed-cbor-crashes', 'attestation_unreadable', () => decodeCbor(bytes, leniencyOf(faults)));
  if (!isMap(value)) refuse('attestation_unreadable', 'The attestation object is no CBOR map.');
  const whole = end === bytes.length || faults.has('attestation-object-goes-on');
  check(whole, 'attestation_unreadable', 'Bytes follow the attestation object.');
  if (faults.has('attestation-object-order-required')) {
    check([...value.keys()].join() === 'fmt,attStmt,authData', 'attestation_unreadable', 'The attestation object is out of order.');
  }
  return value;
}

const FULLY_SPECIFIED = [-9, -51, -52, -19];

/** §7.1 step 20, and that the key is one. */
function checkKey({ key }: AttestedCredential, { algorithms, kind }: Ceremony, { response }: Credential, party: Party): void {
  const { faults } = party;
  const copied = faults.has('algorithm-from-unsigned-copy') || faults.has('algorithm-of-unsigned-copy-only');
  const alg = copied ? response['publicKeyAlgorithm'] : key.alg;
  const offered = kind === 'get' ? party.policy.algorithms : algorithms;
  const fits = offered.some((one) => one === alg) || faults.has('algorithm-of-server') || faults.has('algorithm-unchecked');
  check(fits, 'algorithm_not_offered', `Algorithm ${String(alg)} was not offered.`);
  if (faults.has('rs256-refused')) check(key.alg !== -257, 'algorithm_not_offered', 'RS256 will not do.');
  if (faults.has('eddsa-refused')) check(key.alg !== -8, 'algorithm_not_offered', 'EdDSA will not do.');
  if (faults.has('fully-specified-refused')) check(!FULLY_SPECIFIED.includes(key.alg), 'algorithm_not_offered', 'Unknown algorithm.');
  if (!faults.has('key-not-imported')) importKey(key, party);
}

/** §7.1 steps 22 to 25. */
function checkStatement(
  object: CborMap,
  input: Parameters<typeof verifyStatements>[2],
  { attestation }: Ceremony,
  credential: Credential,
): void {
  const { faults } = input.party;
  const format = object.get('fmt');
  const unasked = attestation === 'none' && format !== 'none';
  if (unasked && faults.has('statement-unasked-unverified')) return;
  check(!unasked || !faults.has('statement-unasked-refused'), 'statement_unasked', 'No attestation was asked for.');
  const zero = input.attested.aaguid.every((byte) => byte === 0);
  check(zero || format !== 'none' || !faults.has('aaguid-must-be-zero'), 'aaguid', 'No AAGUID goes with no attestation.');
  // Certificates, JWS and structures of TPMs are read with readers that throw.
  guarded(input.party, 'malformed-certificate-crashes', 'statement_malformed', () => {
    const statements = verifyStatements(format, object.get('attStmt'), input);
    const asked = attestation === 'direct' || attestation === 'enterprise';
    if (asked && input.party.policy.trust !== 'unassessed') assessTrust(statements, input.party);
    checkModel({ aaguid: input.attested.aaguid, statements, credential }, input.party);
  });
}

/** §7.1 step 26, and that the signed ID is the one the response is sent with. */
function checkId({ id }: AttestedCredential, credential: Credential, { faults }: Party): void {
  check(id.length <= 1023 || faults.has('credential-id-too-long'), 'credential_id_unfit', 'The credential ID is longer than 1023 bytes.');
  check(id.length <= 64 || !faults.has('long-credential-id-refused'), 'credential_id_unfit', 'The credential ID is too long.');
  const same = sameBytes(id, credential.id) || faults.has('credential-id-from-response');
  check(same, 'credential_id_unfit', 'The credential ID is not the one that was signed.');
}
