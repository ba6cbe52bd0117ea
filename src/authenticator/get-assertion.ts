import { concatBytes, equalBytes } from '../kernel/bytes.js';
import { encodeAuthenticatorData } from '../webauthn/authenticator-data.js';
import { signingAlgorithm } from './algorithms.js';
import type { CredentialSource } from './credential-source.js';
import { assertionOutputs, openInputs, signedAssertionOutputs } from './extensions.js';
import { collectGesture, failure, malformedHash, unverifiable } from './failure.js';
import type { AuthenticatorAnswer, AuthenticatorFailure, GetAssertionRequest, GetAssertionResponse } from './ports.js';
import { hashRpId } from './rp-id-hash.js';
import { type AuthenticatorSettings, chooseNewest, toDiscoverable } from './settings.js';

/** Makes an assertion: authenticatorGetAssertion (W3C WebAuthn L3 §6.3.3). */
export async function getAssertion(
  settings: AuthenticatorSettings,
  request: GetAssertionRequest,
): Promise<AuthenticatorAnswer<GetAssertionResponse>> {
  // Step 1.
  const malformed = malformedHash(request.clientDataHash);
  if (malformed) return malformed;
  const { rpId, clientDataHash, extensions } = request;
  if (request.requireUserVerification && !settings.userVerifier.canVerify) {
    return unverifiable(settings.userVerifier);
  }
  const opened = openInputs(settings, extensions, { operation: 'get', random: settings.sources.random });
  if (!opened.ok) return opened;

  // Steps 2 to 6, and the account of step 7: the gesture confirms it.
  const selected = request.allowCredentials === undefined ? await pickAccount(settings, request) : await findAllowed(settings, request);
  if (selected === 'none') return noCredentials(request);
  if (selected === 'cancelled') return failure('CTAP2_ERR_OPERATION_DENIED', 'The user picked no account.');

  // Step 7.
  const { requireUserPresence, requireUserVerification, signal } = request;
  const gesture = await collectGesture(settings.userVerifier, {
    operation: 'get',
    rpId,
    requireUserPresence,
    userVerification: requireUserVerification,
    ...(signal && { signal }),
  });
  if (!gesture.ok) return gesture;

  // Steps 8 and 9: the stored and the signed count are the same, even when two assertions race.
  let source = selected;
  const found = await settings.store.update(rpId, selected.id, (stored) => {
    const written = extensions.largeBlob?.write;
    source = {
      ...stored,
      signCount: settings.counter.asserted(stored.signCount),
      ...(written && stored.largeBlob && { largeBlob: written }),
    };
    return source;
  });
  if (!found) return noCredentials(request);

  // Steps 10 to 12.
  const proven = { up: gesture.present, uv: gesture.verified, be: source.backupEligible, bs: source.backupState };
  const authenticatorData = encodeAuthenticatorData({
    rpIdHash: hashRpId(rpId),
    flags: settings.flags(proven, { operation: 'get', rpId, credentialId: source.id }),
    signCount: source.signCount,
    extensions: signedAssertionOutputs(settings, opened, source, gesture.verified),
  });
  const key = await settings.sources.openKey(signingAlgorithm(source.algorithm), source.privateKey);
  return {
    ok: true,
    credentialId: source.id,
    authenticatorData,
    signature: key.sign(concatBytes(authenticatorData, clientDataHash)),
    ...chooseUserHandle(settings, source),
    unsignedExtensionOutputs: assertionOutputs(opened, source, gesture.verified),
    ...(settings.sources.seeded && { undetermined: [] }),
  };
}

/** Chooses the user handle to return in the assertion (§6.3.3 step 13). */
function chooseUserHandle({ serverSideUserHandle }: AuthenticatorSettings, { discoverable, user }: CredentialSource) {
  if (discoverable || serverSideUserHandle === 'given') return { userHandle: user.id };
  return serverSideUserHandle === 'empty' && { userHandle: new Uint8Array() };
}

/**
 * Tests whether a ceremony may use the credential. credProtect hides a credential from ceremonies without user verification or, at a lower
 * level, from those that also have no credential ID list (CTAP 2.3 §12.1.1).
 */
function isVisible({ protection = 1, hidden }: CredentialSource, request: GetAssertionRequest): boolean {
  const { requireUserVerification, allowCredentials } = request;
  return !hidden && (requireUserVerification || protection === 1 || (protection === 2 && allowCredentials !== undefined));
}

/** Finds the first credential in the allow list that this authenticator has. */
async function findAllowed({ store }: AuthenticatorSettings, request: GetAssertionRequest): Promise<CredentialSource | 'none'> {
  for (const { id } of request.allowCredentials ?? []) {
    const source = await store.find(request.rpId, id);
    if (source && isVisible(source, request)) return source;
  }
  return 'none';
}

/** Returns the discoverable credential of the RP. If there are several, lets the user pick one. */
async function pickAccount(
  { store, chooseAccount }: AuthenticatorSettings,
  request: GetAssertionRequest,
): Promise<CredentialSource | 'none' | 'cancelled'> {
  const visible: CredentialSource[] = [];
  const held = await store.list(request.rpId);
  for (const source of held.toReversed()) {
    if (!source.discoverable || !isVisible(source, request)) continue;
    if (chooseAccount === chooseNewest) return source;
    visible.push(source);
  }
  const [first, ...others] = visible;
  if (first === undefined) return 'none';
  if (others.length === 0) return first;
  const chosen = await chooseAccount([toDiscoverable(first), ...others.map(toDiscoverable)]);
  return (chosen && visible.find(({ id }) => equalBytes(id, chosen.id))) ?? 'cancelled';
}

function noCredentials({ rpId, allowCredentials }: GetAssertionRequest): AuthenticatorFailure {
  const sought = allowCredentials === undefined ? 'a discoverable credential' : `one of ${allowCredentials.length} allowed credentials`;
  return failure('CTAP2_ERR_NO_CREDENTIALS', `Expected ${sought} for ${rpId}; this authenticator has none.`);
}
