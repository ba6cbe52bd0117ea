import { createPublicKey, type KeyObject } from 'node:crypto';
import { type AuthenticatorData, checkAuthenticatorData, claimedIn, readAuthenticatorData } from './authenticator-data.js';
import { sha256 } from './bytes.js';
import type { Ceremony } from './ceremonies.js';
import { type ClientData, checkClientData } from './client-data.js';
import { importKey, signatureFits } from './cose.js';
import type { Credential } from './credential.js';
import type { FaultId } from './faults.js';
import { check, guarded, type Party, refuse } from './party.js';
import { bytesOf, type Json } from './request.js';
import { handleOf, type Passkey } from './store.js';

interface AuthenticationInput {
  readonly credential: Credential;
  readonly passkey: Passkey;
  /** Other passkeys of the same user. */
  readonly others: readonly Passkey[];
  readonly client: ClientData;
  readonly ceremony: Ceremony;
  /** The Origin header of the request. */
  readonly header: string | undefined;
}

/** With these the RP ID of the passkey is no matter. */
const OF_ANY_RP: readonly FaultId[] = ['passkey-of-another-rp', 'rp-id-from-body', 'rp-id-from-forwarded-host', 'site-from-referer'];

/** §7.2 from step 5 on, but for the challenge (taken before). Changes the passkey as step 24 says. */
export function verifyAuthentication({ credential, passkey, others, client, ceremony, header }: AuthenticationInput, party: Party): void {
  const { faults } = party;
  const { response } = credential;
  const sameRp = passkey.rpId === ceremony.rpId || OF_ANY_RP.some((fault) => faults.has(fault));
  check(sameRp, 'foreign_rp', 'This passkey is of another RP ID.', 403);
  checkUserHandle(response, passkey, ceremony, party);
  checkClientData(client, 'get', ceremony, header, party);

  const data = readAuthenticatorData(bytesOf(response, 'authenticatorData', party), 'get', party);
  const scope = faults.has('passkey-of-another-rp') ? { ...ceremony, rpId: passkey.rpId } : ceremony;
  checkAuthenticatorData(claimedIn(credential, data, party), 'get', scope, client, party);
  checkBackup(data, passkey, party);
  if (faults.has('get-extensions-refused')) check(data.extensions === undefined, 'extension_unasked', 'No extension was asked for.');

  const stored = passkey.signCount;
  if (faults.has('counter-stored-before-signature')) passkey.signCount = data.signCount;
  const signers = [passkey, ...(faults.has('signature-by-another-passkey') ? others : [])];
  const signature = bytesOf(response, 'signature', party);
  const signed = signers.some((signer) => isSigned(signer, { data, client, signature, response }, party));
  check(signed, 'bad_signature', 'The signature is not by this passkey.', 403);
  checkCounter(stored, data.signCount, party);
  if (!faults.has('counter-not-stored')) passkey.signCount = data.signCount;
  passkey.backedUp = data.backedUp;
}

/** §7.2 step 6. */
function checkUserHandle(response: Json, passkey: Passkey, { credentialId }: Ceremony, party: Party): void {
  const { faults } = party;
  const sent = response['userHandle'];
  if (faults.has('user-handle-null-refused')) check(sent !== null, 'member_unfit', 'The user handle is null.');
  if (sent === undefined || sent === null) {
    const named = credentialId !== undefined && !faults.has('user-handle-required');
    check(named || faults.has('user-handle-absent-accepted'), 'user_unknown', 'The user handle is missing.', 403);
    return;
  }
  const bytes = bytesOf(response, 'userHandle', party);
  const kept = faults.has('user-handle-changing')
    ? Buffer.from(bytes)
        .toString()
        .replace(/\.[0-9a-f]{18}$/, '')
    : bytes;
  const same = Buffer.from(kept).toString('base64url') === handleOf(passkey.userId, party);
  const unchecked = faults.has('user-handle-unchecked') || faults.has('user-from-user-handle');
  check(same || unchecked, 'user_unknown', 'The user handle is that of another user.', 403);
}

/** §7.2 step 19. */
function checkBackup({ backupEligible, backedUp }: AuthenticatorData, passkey: Passkey, { faults }: Party): void {
  const same = passkey.backupEligible === backupEligible || (faults.has('be-may-be-gained') && backupEligible);
  check(same || faults.has('be-change-unnoticed'), 'backup_changed', 'The passkey was made with another backup eligibility.');
  if (faults.has('backup-state-change-refused')) check(passkey.backedUp === backedUp, 'backup_changed', 'The passkey was backed up.');
}

interface SignedInput {
  readonly data: AuthenticatorData;
  readonly client: ClientData;
  readonly signature: Uint8Array;
  readonly response: Json;
}

/** §7.2 steps 21 and 22. */
function isSigned(passkey: Passkey, { data, client, signature, response }: SignedInput, party: Party): boolean {
  const { faults } = party;
  if (faults.has('signature-unchecked') || faults.has('step-up-signature-unchecked')) return true;
  if (faults.has('signature-unchecked-at-counter-zero') && data.signCount === 0) return true;
  if (faults.has('signature-empty-accepted') && signature.length === 0) return true;
  const fits = (key: KeyObject, over: Uint8Array) => signatureFits({ alg: passkey.key.alg, key, data: over, signature }, party);
  const key = keyOf(passkey, party);
  const whole = Buffer.concat([data.bytes, client.hash]);
  return (
    fits(key, whole) ||
    (faults.has('signature-may-omit-client-data') && fits(key, data.bytes)) ||
    (faults.has('signature-may-omit-authenticator-data') && fits(key, client.hash)) ||
    (faults.has('signature-over-unhashed-client-data') && fits(key, Buffer.concat([data.bytes, client.bytes]))) ||
    (faults.has('signature-by-sent-key') && response['publicKey'] !== undefined && fits(sentKey(response, party), whole))
  );
}

const spki = (der: Uint8Array): KeyObject => createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' });

function keyOf({ unsignedKey, key }: Passkey, party: Party): KeyObject {
  return unsignedKey === undefined ? importKey(key, party) : spki(unsignedKey);
}

function sentKey(response: Json, party: Party): KeyObject {
  return guarded(party, 'malformed-signature-crashes', 'bad_signature', () => spki(bytesOf(response, 'publicKey', party)));
}

/** §7.2 step 23: where either count is not zero, the new one is greater. */
function checkCounter(stored: number, sent: number, { faults }: Party): void {
  if (faults.has('counter-unchecked') || (faults.has('counter-may-fall-to-zero') && sent === 0)) return;
  const [before, now] = faults.has('counter-signed') ? [stored | 0, sent | 0] : [stored, sent];
  const counts = before !== 0 || now !== 0 || faults.has('counter-zero-twice-refused');
  const grows = now > before || (faults.has('counter-may-stay') && now === before);
  check(!counts || grows, 'copied', 'The sign count did not grow: the passkey may have been copied.', 403);
  if (counts && faults.has('counter-must-step-by-one')) check(now === before + 1, 'copied', 'The sign count leapt.', 403);
}

/** Whose passkey answers; the ID alone decides. */
export function findPasskey(
  { id, response }: Credential,
  find: { byId(id: Uint8Array): Passkey | undefined; ofHandle(handle: string): Passkey | undefined },
  { faults }: Party,
): Passkey {
  const handle = response['userHandle'];
  const byHandle = faults.has('credential-by-user-handle') && typeof handle === 'string' ? find.ofHandle(handle) : undefined;
  const passkey = byHandle ?? find.byId(id);
  if (passkey === undefined && faults.has('unknown-credential-crashes')) throw new TypeError('Cannot read properties of undefined');
  return passkey ?? refuse('no_such_passkey', 'There is no such passkey.', 404);
}

/** What all challenges of one credential are told apart by. */
export const idOf = (credentialId: Uint8Array): string => sha256(credentialId).toString('hex');
