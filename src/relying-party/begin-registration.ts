import { PasskeyError } from '../errors.js';
import type { OperationContext } from '../kernel/events.js';
import type { OwnerRef } from '../kernel/owner.js';
import { encodeBase64url } from '../webauthn/base64url.js';
import type { PublicKeyCredentialCreationOptionsJSON } from '../webauthn/json.js';
import { ceremonyPolicy, credentialDescriptors, type OperationDependencies, requireShallowOptions } from './operation.js';
import { type Policy, userVerificationRequirement } from './policy.js';
import type { Ceremony } from './ports.js';

export interface BeginRegistrationInput {
  /** The user to register; `id` is the user handle, 1 to 64 bytes. */
  readonly user: { readonly owner: OwnerRef; readonly id: Uint8Array; readonly name: string; readonly displayName: string };
  readonly rpId: string;
  readonly rpName: string;
  readonly origins: readonly string[];
  /**
   * The caller's address or owner. If the store has no room for more ceremonies, the client with the most ceremonies loses its oldest one.
   */
  readonly client: string;
  readonly policy?: Partial<Policy>;
  /** `conditional` if the page will call `create()` with this `mediation`. User presence is then not required (§7.1 step 15). */
  readonly mediation?: 'conditional' | undefined;
  /**
   * Members to add to the options or to replace in them, except `challenge`, `rp` and `user`. The response is checked against the changed
   * options.
   */
  readonly options?: Partial<PublicKeyCredentialCreationOptionsJSON>;
  readonly context?: OperationContext;
}

/**
 * Starts a registration, W3C WebAuthn L3 §7.1 step 1 (options).
 *
 * @throws PasskeyError `validation_failed` if a member of `options` is nested too deeply; `too_many_passkeys`.
 */
export async function beginRegistration(
  { store, policy: standing, now, newChallenge, maxPasskeys, emit }: OperationDependencies,
  input: BeginRegistrationInput,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { user, rpId, rpName, origins, client, context = {} } = input;
  requireShallowOptions(input.options);
  const policy = ceremonyPolicy(standing, input.policy);
  const challenge = newChallenge();
  const live = await store.listPasskeys({ owner: user.owner });
  // The store counts when it inserts; here the user learns it before an authenticator has made a credential in vain.
  if (live.length >= maxPasskeys) {
    throw new PasskeyError(
      'too_many_passkeys',
      `Expected fewer than ${maxPasskeys} live passkeys (--max-passkeys); ${user.owner.type}:${user.owner.id} has ${live.length}. Revoke one before registering another.`,
    );
  }
  const known = live.filter((passkey) => passkey.rpId === rpId);
  const bound = {
    challenge: encodeBase64url(challenge),
    rp: { name: rpName, id: rpId },
    user: { id: encodeBase64url(user.id), name: user.name, displayName: user.displayName },
  };
  const excluded = known.length > 0 && { excludeCredentials: credentialDescriptors(known) };
  const options: PublicKeyCredentialCreationOptionsJSON = {
    ...bound,
    ...requestedBy(policy),
    ...excluded,
    ...input.options,
    ...bound,
  };
  const issuedAt = now();
  const ceremony: Ceremony = {
    kind: 'registration',
    challenge,
    rpId,
    origins,
    topOrigins: policy.topOrigins,
    owner: user.owner,
    userHandle: user.id,
    rpName,
    ...(input.mediation !== undefined && { mediation: input.mediation }),
    credentialId: undefined,
    userVerification: userVerificationRequirement(options.authenticatorSelection?.userVerification),
    algorithms: options.pubKeyCredParams.map(({ alg }) => alg),
    options: { ...options },
    issuedAt,
    expiresAt: issuedAt + policy.challengeTtl,
    client,
  };
  await store.saveCeremony(ceremony);
  emit({ type: 'ceremony-begun', at: issuedAt, context, ceremony, standing: { ...requestedBy(standing), ...excluded } });
  return options;
}

function requestedBy({ algorithms, timeout, attestation, residentKey, userVerification }: Policy) {
  return {
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    timeout,
    attestation,
    authenticatorSelection: { residentKey, userVerification },
  };
}
