import type { Authenticator, DiscoverableCredential } from '../authenticator/ports.js';
import { type CredentialMediation, knownValue, MEDIATIONS, UI_MODES, type UiMode } from '../webauthn/enumerations.js';
import type { Caller } from './caller.js';
import type { Timer } from './lifetime.js';
import { domException } from './members.js';
import { describeValue, type Reading } from './reading.js';
import type { FetchPort } from './well-known.js';

/** Picks a credential from the autofill list; returns undefined if the user picks none. */
export type CredentialPicker = (
  credentials: readonly [DiscoverableCredential, ...DiscoverableCredential[]],
) => DiscoverableCredential | undefined | Promise<DiscoverableCredential | undefined>;

/** Permissions policy features for WebAuthn (§5.9) and for Secure Payment Confirmation. */
export type PolicyFeature = 'publickey-credentials-create' | 'publickey-credentials-get' | 'payment';

/** Settings and dependencies that all operations of the client share. */
export interface Platform {
  readonly authenticators: readonly [Authenticator, ...Authenticator[]];
  readonly caller: Caller;
  readonly timer: Timer | undefined;
  readonly pickCredential: CredentialPicker;
  readonly reading: Reading;
  readonly permissionsPolicy: Readonly<Partial<Record<PolicyFeature, boolean>>>;
  readonly fetch: FetchPort | undefined;
  readonly extraData: string | undefined;
  /** RP IDs that may receive enterprise attestation, which identifies the individual authenticator. */
  readonly enterpriseRpIds: readonly string[];
  /** Draws random bytes for the key agreement with authenticators that have hmac-secret. */
  readonly random: (length: number) => Uint8Array;
}

/** Checks, if the page is in an iframe of another origin, that the embedding page allows the features (§5.9). */
export function checkPermission({ caller, permissionsPolicy }: Platform, ...features: readonly PolicyFeature[]): void {
  if (!caller.crossOrigin || features.some((feature) => permissionsPolicy[feature] ?? true)) return;
  throw domException('NotAllowedError', `Expected the permissions policy to allow ${features.join(' or ')} in an iframe; it does not.`);
}

/** CredentialCreationOptions or CredentialRequestOptions with public key options. */
export interface CredentialOptions<T> {
  readonly publicKey: T;
  readonly signal?: AbortSignal;
  /** `conditional` offers only discoverable credentials, as autofill does. `immediate` is the former spelling of `uiMode: 'immediate'`. */
  readonly mediation?: CredentialMediation | 'immediate';
  /** `immediate` fails at once if the device has no discoverable credential. */
  readonly uiMode?: UiMode;
}

/** How the client involves the user: a modal dialog, autofill, or a dialog only if the device has a credential. */
type Mediation = 'modal' | 'conditional' | 'immediate';

/**
 * Reads the mediation from the options.
 *
 * @throws TypeError for a `mediation` or `uiMode` that is not a value of its enumeration.
 * @throws DOMException `NotAllowedError` for `silent`, because a passkey always needs mediation (browsers return null); `NotSupportedError`
 * for `immediate` together with `conditional`.
 */
export function readCredentialOptions<T>(
  { publicKey, signal, mediation, uiMode }: CredentialOptions<T>,
  known: readonly (CredentialMediation | 'immediate')[] = MEDIATIONS,
): {
  readonly publicKey: T;
  readonly signal: AbortSignal | undefined;
  readonly mediation: Mediation;
} {
  if (mediation !== undefined && knownValue(mediation, known) === undefined) {
    throw new TypeError(`Expected mediation to be one of ${known.join(', ')}; got ${describeValue(mediation)}.`);
  }
  if (uiMode !== undefined && knownValue(uiMode, UI_MODES) === undefined) {
    throw new TypeError(`Expected uiMode to be one of ${UI_MODES.join(', ')}; got ${describeValue(uiMode)}.`);
  }
  if (mediation === 'silent') throw domException('NotAllowedError', 'Expected a mediation that involves the user; got "silent".');
  const immediate = mediation === 'immediate' || uiMode === 'immediate';
  if (immediate && mediation === 'conditional') {
    throw domException('NotSupportedError', 'Expected uiMode "immediate" or mediation "conditional"; got both.');
  }
  return { publicKey, signal, mediation: immediate ? 'immediate' : mediation === 'conditional' ? 'conditional' : 'modal' };
}
