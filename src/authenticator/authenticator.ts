import { once } from '../kernel/remember.js';
import { AAGUID_BYTES, MAX_CREDENTIAL_ID_BYTES, MAX_PIN_LENGTH, MIN_CREDENTIAL_ID_BYTES, MIN_PIN_LENGTH } from '../webauthn/limits.js';
import { signingAlgorithm } from './algorithms.js';
import { attestationFormats } from './attestation/named-formats.js';
import { type CredentialSourceStore, createCredentialSourceStore } from './credential-store.js';
import { EXTENSIONS } from './extensions.js';
import { getAssertion } from './get-assertion.js';
import { makeCredential } from './make-credential.js';
import { chooseSources } from './operation-sources.js';
import { agreeOnKey } from './pin-uv-auth-protocol.js';
import type { Authenticator, AuthenticatorInfo } from './ports.js';
import { type AuthenticatorOptions, type AuthenticatorSettings, chooseNewest, toDiscoverable } from './settings.js';
import { createSignCounter } from './sign-counter.js';
import { takeSignal } from './signals.js';
import { cooperativeUser } from './user-verifier.js';

/** The software authenticator: implements the `Authenticator` port completely and gives access to its credentials. */
export interface SoftwareAuthenticator extends Required<Authenticator> {
  readonly info: AuthenticatorInfo;
  readonly aaguid: Uint8Array;
  readonly store: CredentialSourceStore;
}

/**
 * Creates a software authenticator (W3C WebAuthn L3 §6). Ceremonies give it only the hash of the client data, never an origin.
 *
 * @throws TypeError for an option outside its range, and for options that contradict each other.
 */
export function createAuthenticator(options: AuthenticatorOptions = {}): SoftwareAuthenticator {
  const settings = settle(options);
  const { aaguid, store, userVerifier, attachment, transports, residentKey, extensions, pinUvAuthProtocols } = settings;
  return {
    aaguid,
    store,
    get info() {
      const { canVerify: userVerification, pinNotSet = false } = userVerifier;
      return { attachment, transports, residentKey, userVerification, pinNotSet, extensions, pinUvAuthProtocols };
    },
    makeCredential: (request) => makeCredential(settings, request),
    getAssertion: (request) => getAssertion(settings, request),
    async discover(rpId) {
      const held = await store.list(rpId);
      return held
        .filter(({ discoverable, hidden }) => discoverable && !hidden)
        .map(toDiscoverable)
        .toReversed();
    },
    async getKeyAgreement(protocol) {
      if (!pinUvAuthProtocols.includes(protocol)) {
        throw new TypeError(`Expected a PIN/UV auth protocol of this authenticator (${pinUvAuthProtocols.join(', ')}); got ${protocol}.`);
      }
      return settings.keyAgreement().publicKey;
    },
    signal: (signal) => takeSignal(store, settings.signalled, signal),
  };
}

function settle(options: AuthenticatorOptions): AuthenticatorSettings {
  const { attestation = 'none' } = options;
  const sources = chooseSources(options);
  const settings: AuthenticatorSettings = {
    aaguid: options.aaguid ?? new Uint8Array(AAGUID_BYTES),
    algorithms: (options.algorithms ?? [-7, -8, -257]).map(signingAlgorithm),
    attestation: attestationFormats({
      attestation,
      ...(options.attestationAuthority && { authority: options.attestationAuthority }),
      ...(options.enterprise && { enterprise: options.enterprise }),
    }),
    attachment: options.attachment ?? 'platform',
    transports: options.transports ?? ['internal'],
    residentKey: options.residentKey ?? true,
    alwaysDiscoverable: options.alwaysDiscoverable ?? false,
    serverSideUserHandle: options.serverSideUserHandle ?? 'absent',
    backupEligible: options.backupEligible ?? false,
    backupState: options.backupState ?? false,
    credentialIdLength: options.credentialIdLength ?? 32,
    extensions: options.extensions ?? EXTENSIONS,
    prfAtCreation: options.prfAtCreation ?? true,
    pinUvAuthProtocols: options.pinUvAuthProtocols ?? [2, 1],
    keyAgreement: once(() => agreeOnKey(sources.random)),
    minPinLength: options.minPinLength ?? MIN_PIN_LENGTH,
    minPinLengthRpIds: options.minPinLengthRpIds ?? [],
    maxDiscoverableCredentials: options.maxDiscoverableCredentials,
    signalled: options.signalled ?? 'hide',
    flags: options.flags ?? ((flags) => flags),
    counter: createSignCounter(options.signCount ?? { kind: 'zero' }),
    sources,
    userVerifier: options.userVerifier ?? cooperativeUser(),
    chooseAccount: options.chooseAccount ?? chooseNewest,
    store: options.store ?? createCredentialSourceStore(),
  };
  if (settings.aaguid.length !== AAGUID_BYTES) {
    throw new TypeError(`Expected an aaguid of ${AAGUID_BYTES} bytes; got ${settings.aaguid.length}. Use parseAaguid for text.`);
  }
  if (settings.algorithms.length === 0) throw new TypeError('Expected at least one algorithm; got none.');
  if (settings.backupState && !settings.backupEligible) {
    throw new TypeError('Expected backupState to be false while backupEligible is false; got true. Set backupEligible too.');
  }
  const { minPinLength } = settings;
  if (!Number.isInteger(minPinLength) || minPinLength < MIN_PIN_LENGTH || minPinLength > MAX_PIN_LENGTH) {
    throw new TypeError(`Expected a minPinLength of ${MIN_PIN_LENGTH} to ${MAX_PIN_LENGTH} code points; got ${minPinLength}.`);
  }
  const { maxDiscoverableCredentials: most = 0 } = settings;
  if (!Number.isInteger(most) || most < 0) throw new TypeError(`Expected maxDiscoverableCredentials to be a whole number; got ${most}.`);
  const { credentialIdLength: length } = settings;
  if (!Number.isInteger(length) || length < MIN_CREDENTIAL_ID_BYTES || length > MAX_CREDENTIAL_ID_BYTES) {
    const range = `${MIN_CREDENTIAL_ID_BYTES} to ${MAX_CREDENTIAL_ID_BYTES}`;
    throw new TypeError(`Expected a credentialIdLength of ${range} bytes; got ${length}.`);
  }
  return settings;
}
