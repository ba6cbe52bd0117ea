import { PasskeyError } from '../errors.js';
import { firstFailedAuthenticationStep } from './checks.js';
import type { Passkey } from './credential-record.js';
import { type OperationDependencies, passkeyNotFound } from './operation.js';
import type { AuthenticationContext } from './steps/context.js';
import { stepError } from './steps/step.js';
import { updatedState } from './steps/update-record.js';

const MAX_TRIES = 10;

/**
 * §7.2 step 24 (update the credential record). Another assertion of the same credential may have changed the record since it
 * was read: then §7.2 step 22 (sign count) is asked again with the fresh record, and decides.
 *
 * @throws PasskeyError `passkey_not_found` when it was revoked meanwhile, `counter_regressed`, or `store_unavailable` when the
 *   record changes faster than it can be updated.
 */
export async function recordUse(
  { store }: OperationDependencies,
  { passkey, context, at }: { readonly passkey: Passkey; readonly context: AuthenticationContext; readonly at: number },
): Promise<{ readonly passkey: Passkey; readonly userVerified: boolean }> {
  if (context.authenticatorData?.ok !== true) {
    throw new PasskeyError(
      'internal_error',
      'An assertion was accepted that cannot be read; this is a fault of passkey. Please report it.',
    );
  }
  const authenticatorData = context.authenticatorData.value;
  let { credential } = passkey;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const use = { ...updatedState(credential, authenticatorData), expectedSignCount: credential.signCount, lastUsedAt: at };
    const updated = await store.updatePasskey(passkey.id, use);
    if (updated !== undefined) {
      return { passkey: updated, userVerified: authenticatorData.flags.uv };
    }
    const fresh = await store.findPasskey(passkey.id);
    if (fresh === undefined || fresh.revokedAt !== undefined) {
      throw passkeyNotFound('this credential ID');
    }
    const registered = { ...fresh.credential, userHandle: fresh.userHandle };
    const regressed = firstFailedAuthenticationStep({ ...context, credential: registered }, ['sign-count']);
    if (regressed !== undefined) {
      await store.recordCounterRegression(passkey.id, at);
      throw stepError(regressed);
    }
    credential = fresh.credential;
  }
  throw new PasskeyError(
    'store_unavailable',
    `Expected to update passkey ${passkey.id}; it changed ${MAX_TRIES} times meanwhile. Try again.`,
  );
}
