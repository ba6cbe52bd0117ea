import { isFailedCheck, PasskeyError } from '../errors.js';
import type { CeremonyKind } from '../webauthn/enumerations.js';
import type { OwnerRef } from '../webauthn/user-handle.js';
import type { Passkey } from './credential-record.js';
import type { OperationContext } from './events.js';
import type { OperationDependencies } from './operation.js';
import type { Policy } from './policy.js';
import type { Ceremony } from './ports.js';

/** What an operation has found out when it ends, in whichever way. It fills this in as it goes. */
export interface CeremonyTrace {
  ceremony: Ceremony | undefined;
  passkey: Passkey | undefined;
}

interface Conclusion {
  readonly kind: CeremonyKind;
  readonly at: number;
  readonly context: OperationContext | undefined;
  readonly response: object;
  readonly owner: OwnerRef | undefined;
}

/** Runs the end of a ceremony and tells whoever listens how it went. A failure of the store is not an outcome of the ceremony. */
export async function concludeCeremony<T>(
  { emit, policy }: Pick<OperationDependencies, 'emit' | 'policy'>,
  { kind, at, context = {}, response, owner }: Conclusion,
  run: (trace: CeremonyTrace) => Promise<T>,
): Promise<T> {
  const trace: CeremonyTrace = { ceremony: undefined, passkey: undefined };
  const tell = (outcome: 'verified' | 'rejected', error: PasskeyError | undefined) =>
    emit({
      type: 'ceremony-finished',
      at,
      context,
      kind,
      outcome,
      ceremony: trace.ceremony,
      response: { ...response },
      passkey: trace.passkey,
      owner,
      error,
      policy: effectivePolicy(policy, trace.ceremony),
    });
  try {
    const result = await run(trace);
    tell('verified', undefined);
    return result;
  } catch (error) {
    if (error instanceof PasskeyError && isRefusal(error)) {
      tell('rejected', error);
    }
    throw error;
  }
}

function isRefusal({ code }: PasskeyError): boolean {
  return isFailedCheck(code) || code === 'passkey_not_found' || code === 'validation_failed' || code === 'credential_already_registered';
}

/** The policy, with what the ceremony was begun with in its place. */
function effectivePolicy(policy: Policy, ceremony: Ceremony | undefined): Policy {
  if (ceremony === undefined) {
    return policy;
  }
  const { algorithms, userVerification, topOrigins, issuedAt, expiresAt } = ceremony;
  return { ...policy, algorithms, userVerification, topOrigins, challengeTtl: expiresAt - issuedAt };
}
