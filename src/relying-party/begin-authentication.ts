import type { OperationContext } from '../kernel/events.js';
import { encodeBase64url } from '../webauthn/base64url.js';
import type { PublicKeyCredentialRequestOptionsJSON } from '../webauthn/json.js';
import type { Passkey } from './credential-record.js';
import { ceremonyPolicy, credentialDescriptor, type OperationDependencies, requireLive, requireShallowOptions } from './operation.js';
import { type Policy, userVerificationRequirement } from './policy.js';
import type { Ceremony, PasskeyStore } from './ports.js';

interface CommonInput {
  /**
   * The caller's address or owner. If the store has no room for more ceremonies, the client with the most ceremonies loses its oldest one.
   */
  readonly client: string;
  readonly policy?: Partial<Policy>;
  /** Members to add to the options or to replace in them, except `challenge`. The response is checked against the changed options. */
  readonly options?: Partial<PublicKeyCredentialRequestOptionsJSON>;
  readonly context?: OperationContext;
}

/** Input that names one known credential, or none: then the user chooses a discoverable credential. */
export type BeginAuthenticationInput = CommonInput &
  ({ readonly credentialId: Uint8Array } | { readonly rpId: string; readonly origins: readonly string[] });

/**
 * Starts an authentication, W3C WebAuthn L3 §7.2 step 1 (options).
 *
 * @throws PasskeyError `passkey_not_found` if the requested credential is unknown or revoked; `validation_failed` if a member of `options`
 * is nested too deeply.
 */
export async function beginAuthentication(
  { store, policy: standing, origins: extraOrigins, now, newChallenge, emit }: OperationDependencies,
  input: BeginAuthenticationInput,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  requireShallowOptions(input.options);
  const policy = ceremonyPolicy(standing, input.policy);
  const { rpId, origins, passkey } =
    'credentialId' in input ? await knownCredential(store, input.credentialId, extraOrigins) : discoverable(input);
  const challenge = newChallenge();
  const bound = { challenge: encodeBase64url(challenge) };
  const scope = passkey === undefined ? { rpId } : { allowCredentials: [credentialDescriptor(passkey.credential)] };
  const options: PublicKeyCredentialRequestOptionsJSON = {
    ...bound,
    ...scope,
    ...requestedBy(policy),
    ...input.options,
    ...bound,
  };
  const issuedAt = now();
  const ceremony: Ceremony = {
    kind: 'authentication',
    challenge,
    rpId,
    origins,
    topOrigins: policy.topOrigins,
    owner: undefined,
    userHandle: undefined,
    rpName: undefined,
    credentialId: passkey?.credential.id,
    userVerification: userVerificationRequirement(options.userVerification),
    algorithms: policy.algorithms,
    options: { ...options },
    issuedAt,
    expiresAt: issuedAt + policy.challengeTtl,
    client: input.client,
  };
  await store.saveCeremony(ceremony);
  emit({ type: 'ceremony-begun', at: issuedAt, context: input.context ?? {}, ceremony, standing: { ...scope, ...requestedBy(standing) } });
  return options;
}

function requestedBy({ timeout, userVerification }: Policy) {
  return { timeout, userVerification };
}

interface Scope {
  readonly rpId: string;
  readonly origins: readonly string[];
  readonly passkey: Passkey | undefined;
}

function discoverable({ rpId, origins }: { readonly rpId: string; readonly origins: readonly string[] }): Scope {
  return { rpId, origins, passkey: undefined };
}

/** Looks up the RP ID and the origin with which a credential was registered. Adds the extra origins that fit that RP ID. */
async function knownCredential(store: PasskeyStore, credentialId: Uint8Array, extraOrigins: readonly string[]): Promise<Scope> {
  const passkey = requireLive(await store.findPasskeyByCredentialId(credentialId));
  const { rpId, origin } = passkey;
  const further = extraOrigins.filter((extra) => extra !== origin);
  return { rpId, origins: [origin, ...(await fitting(further, rpId))], passkey };
}

/** Selects the origins that fit an RP ID. Loads the public suffix list only if there are any origins. */
async function fitting(origins: readonly string[], rpId: string): Promise<readonly string[]> {
  if (origins.length === 0) {
    return [];
  }
  const { isRegistrableSuffix } = await import('../webauthn/registrable-suffix.js');
  return origins.filter((origin) => isRegistrableSuffix(rpId, new URL(origin).hostname));
}
