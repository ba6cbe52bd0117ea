import { createHash } from 'node:crypto';
import { encodeAuthenticatorData } from '../webauthn/authenticator-data.js';
import { concatBytes, equalBytes } from '../webauthn/bytes.js';
import { signingAlgorithm } from './algorithms.js';
import type { CredentialSource } from './credential-source.js';
import { assertionOutputs } from './extensions.js';
import { collectGesture, failure, malformedGetAssertion } from './failure.js';
import { readPrivateKey, signWith } from './key-pair.js';
import type { AuthenticatorAnswer, AuthenticatorFailure, GetAssertionRequest, GetAssertionResponse } from './ports.js';
import { type AuthenticatorSettings, toDiscoverable } from './settings.js';

/** authenticatorGetAssertion (W3C WebAuthn L3 §6.3.3). */
export async function getAssertion(
  settings: AuthenticatorSettings,
  request: GetAssertionRequest,
): Promise<AuthenticatorAnswer<GetAssertionResponse>> {
  // Step 1.
  const malformed = malformedGetAssertion(request);
  if (malformed) return malformed;
  const { rpId, clientDataHash, extensions } = request;
  if (request.requireUserVerification && !settings.userVerifier.canVerify) {
    return failure('CTAP2_ERR_UNSUPPORTED_OPTION', 'User verification was required; this authenticator cannot verify its user.');
  }

  // Steps 2 to 6.
  const candidates = await findCandidates(settings, request);
  const [first, ...others] = candidates;
  if (first === undefined) return noCredentials(request);

  // Step 7. The user picks an account first: the gesture confirms that account.
  const selected = request.allowCredentials === undefined && others.length > 0 ? await choose(settings, [first, ...others]) : first;
  if (selected === undefined) return failure('CTAP2_ERR_OPERATION_DENIED', 'The user picked no account.');
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
  const authenticatorData = encodeAuthenticatorData({
    rpIdHash: new Uint8Array(createHash('sha256').update(rpId).digest()),
    flags: { up: gesture.present, uv: gesture.verified, be: source.backupEligible, bs: source.backupState },
    signCount: source.signCount,
  });
  const algorithm = signingAlgorithm(source.algorithm);
  const privateKey = readPrivateKey(algorithm, source.privateKey);
  return {
    ok: true,
    credentialId: source.id,
    authenticatorData,
    signature: signWith(algorithm, privateKey, concatBytes(authenticatorData, clientDataHash)),
    ...(source.discoverable && { userHandle: source.user.id }),
    unsignedExtensionOutputs: assertionOutputs(extensions, source, gesture.verified),
  };
}

/** The credentials of the list in its order, or all discoverable ones, newest first. */
async function findCandidates(settings: AuthenticatorSettings, request: GetAssertionRequest): Promise<readonly CredentialSource[]> {
  const { rpId, allowCredentials, requireUserVerification } = request;
  const held = await settings.store.list(rpId);
  // CTAP 2.1 §12.1.1: credProtect hides a credential from ceremonies that prove too little.
  const visible = held.filter(
    ({ protection = 1 }) => requireUserVerification || protection === 1 || (protection === 2 && allowCredentials),
  );
  if (allowCredentials === undefined) return visible.filter(({ discoverable }) => discoverable).toReversed();
  return allowCredentials.flatMap(({ id }) => visible.filter((source) => equalBytes(source.id, id)));
}

function noCredentials({ rpId, allowCredentials }: GetAssertionRequest): AuthenticatorFailure {
  const sought = allowCredentials === undefined ? 'a discoverable credential' : `one of ${allowCredentials.length} allowed credentials`;
  return failure('CTAP2_ERR_NO_CREDENTIALS', `Expected ${sought} for ${rpId}; this authenticator has none.`);
}

async function choose(
  settings: AuthenticatorSettings,
  [first, ...others]: readonly [CredentialSource, ...CredentialSource[]],
): Promise<CredentialSource | undefined> {
  const chosen = await settings.chooseAccount([toDiscoverable(first), ...others.map(toDiscoverable)]);
  return chosen && [first, ...others].find(({ id }) => equalBytes(id, chosen.id));
}
