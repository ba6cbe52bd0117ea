import { createHash } from 'node:crypto';
import { concatBytes, equalBytes } from '../../kernel/bytes.js';
import { count } from '../../kernel/wording.js';
import { algorithmName } from '../../webauthn/algorithms.js';
import type { AuthenticatorData } from '../../webauthn/authenticator-data.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { readFinding } from '../../webauthn/decoding-error.js';
import { verifyCredentialSignature } from '../attestation/ml-dsa.js';
import {
  backupEligibilityHint,
  MISSING_USER_HANDLE,
  notAllowedHint,
  signCountHint,
  unknownCredentialHint,
  userHandleHint,
} from '../diagnosis/hints.js';
import { publicKeyHint, signatureHint } from '../diagnosis/public-key.js';
import { showId, showUserHandle } from '../show.js';
import { onAuthenticatorData } from './authenticator-data.js';
import type { AuthenticationContext, RegisteredCredential } from './context.js';
import { type Check, fail, leaveOpen, pass, skip } from './step.js';

type AuthenticationCheck = Check<AuthenticationContext>;

/** §7.2 step 5: if `allowCredentials` is not empty, the credential is one of its entries. */
export const allowedCredential: AuthenticationCheck = ({ id, allowCredentials }) => {
  if (allowCredentials.length === 0) {
    return skip('allowCredentials is empty');
  }
  const expected = allowCredentials.map(showId).join(' or ');
  return allowCredentials.some((allowed) => equalBytes(allowed, id))
    ? pass(expected, showId(id))
    : fail('credential_not_allowed', {
        expected,
        received: showId(id),
        hint: notAllowedHint(id, allowCredentials),
      });
};

/**
 * §7.2 step 6: the credential record has the credential ID of the response, and belongs to the user account of the user handle. If
 * `allowCredentials` contained the credential, the user was identified before, and the user handle may be absent. Otherwise the user handle
 * identifies the user.
 */
export const userHandle: AuthenticationCheck = ({ id, userHandle: received, credential, allowCredentials, rpId }) => {
  if (!equalBytes(credential.id, id)) {
    return fail('passkey_not_found', {
      expected: `a credential record of ${showId(id)}`,
      received: `one of ${showId(credential.id)}`,
      hint: unknownCredentialHint(rpId, encodeBase64url(id)),
    });
  }
  const identified = allowCredentials.length > 0;
  const expected = `${showUserHandle(credential.userHandle)}${identified ? ', or none' : ''}`;
  if (received === undefined) {
    return identified
      ? pass(expected, 'none')
      : fail('user_handle_missing', {
          expected,
          received: 'none',
          hint: MISSING_USER_HANDLE,
        });
  }
  return equalBytes(received, credential.userHandle)
    ? pass(expected, showUserHandle(received))
    : fail('user_handle_mismatch', {
        expected,
        received: showUserHandle(received),
        hint: userHandleHint(received, credential.userHandle),
      });
};

/** §7.2 step 7: the response contains client data, authenticator data and a signature. */
export const responseMembers: AuthenticationCheck = ({ clientDataJSON, authenticatorDataBytes, signature }) =>
  pass(
    'cData, authData and sig',
    [clientDataJSON, authenticatorDataBytes, signature].map(({ length }) => count(length, 'byte')).join(', '),
  );

/** §7.2 step 19: the flag BE is the same as at registration. The flag BS may have changed. */
export const backupEligibility: AuthenticationCheck = onAuthenticatorData(({ flags: { be } }, { credential: { backupEligible } }) => {
  const show = (set: boolean) => `BE ${set ? 'set' : 'not set'}`;
  return be === backupEligible
    ? pass(`${show(backupEligible)}, as registered`, show(be))
    : fail('backup_eligibility_changed', {
        expected: `${show(backupEligible)}, as registered`,
        received: show(be),
        hint: backupEligibilityHint(backupEligible),
      });
});

/** §7.2 step 21: the signature verifies with the credential public key. */
export const signature: AuthenticationCheck = (context) => {
  const { credential, credentialKey: key, authenticatorDataBytes, clientDataJSON, signature: bytes, mlDsa } = context;
  if (key?.ok !== true) {
    return fail('public_key_malformed', {
      expected: 'a stored COSE_Key',
      received: key === undefined ? 'none' : readFinding(key.error),
      hint: publicKeyHint(credential.publicKey, 'The stored public key is not as it was registered; check the store.'),
    });
  }
  const name = algorithmName(key.value.alg);
  const expected = `a signature of ${name} over authData and the hash of cData`;
  const hash = createHash('sha256').update(clientDataJSON).digest();
  switch (verifyCredentialSignature({ key: key.value, data: concatBytes(authenticatorDataBytes, hash), signature: bytes, mlDsa })) {
    case 'valid':
      return pass(expected, showId(bytes));
    case 'unsupported':
      return leaveOpen(`this version of Node does not know ${name}`);
    case 'key':
      return fail('public_key_malformed', {
        expected: `a public key for ${name}`,
        received: 'one that OpenSSL refuses',
        hint: 'The stored public key does not fit its algorithm; check the store.',
      });
    case 'invalid':
      return fail('signature_invalid', {
        expected,
        received: `${showId(bytes)}, which does not verify`,
        hint: signatureHint(key.value, bytes, clientDataJSON),
      });
  }
};

/** §7.2 step 22: the signature counter has grown. */
export const signCount: AuthenticationCheck = onAuthenticatorData(({ signCount: received }, { credential: { signCount: stored } }) => {
  if (received === 0 && stored === 0) {
    return pass('0, as stored: this authenticator does not count', '0');
  }
  return received > stored
    ? pass(`more than ${stored}`, String(received))
    : fail('counter_regressed', {
        expected: `more than ${stored}`,
        received: String(received),
        hint: signCountHint(received, stored),
      });
});

/** §7.2 step 24: describes which members of the credential record change. */
export const updatedRecord: AuthenticationCheck = onAuthenticatorData((authenticatorData, { credential }) => {
  const { signCount: count, backupState } = updatedState(credential, authenticatorData);
  return pass('signCount and backupState as received', `signCount ${count}, backupState ${backupState}`);
});

/**
 * Computes the changes to the credential record (§7.2 step 24). `uvInitialized` does not change: before it may be set, the standard
 * requires a second factor as strong as user verification, which this relying party does not have.
 */
export function updatedState(
  { uvInitialized }: Pick<RegisteredCredential, 'uvInitialized'>,
  { signCount, flags }: AuthenticatorData,
): { readonly signCount: number; readonly backupState: boolean; readonly uvInitialized: boolean } {
  return { signCount, backupState: flags.bs, uvInitialized };
}
