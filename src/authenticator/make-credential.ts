import { equalBytes } from '../kernel/bytes.js';
import { encodeAuthenticatorData } from '../webauthn/authenticator-data.js';
import { encodeCoseKey } from '../webauthn/cose-key.js';
import { type AttestationFormat, attestationObject, chooseFormat } from './attestation/format.js';
import type { CredentialSource } from './credential-source.js';
import { newCredentialMembers, type OpenedInputs, openInputs, registrationOutputs, signedRegistrationOutputs } from './extensions.js';
import { collectGesture, failure, type Gesture, malformedMakeCredential, unverifiable } from './failure.js';
import type { OperationSources } from './operation-sources.js';
import type { AuthenticatorAnswer, AuthenticatorFailure, MakeCredentialRequest, MakeCredentialResponse } from './ports.js';
import { hashRpId } from './rp-id-hash.js';
import type { AuthenticatorSettings } from './settings.js';
import type { SigningKey } from './signing-key.js';

/** Creates a credential: authenticatorMakeCredential (W3C WebAuthn L3 §6.3.2). */
export async function makeCredential(
  settings: AuthenticatorSettings,
  request: MakeCredentialRequest,
): Promise<AuthenticatorAnswer<MakeCredentialResponse>> {
  // Step 1.
  const malformed = malformedMakeCredential(request);
  if (malformed) return malformed;
  const sources = settings.sources.create(request);
  const { rp, user, requireResidentKey, requireUserVerification, extensions } = request;

  // Step 2: the first of the client's choices that is supported.
  const algorithm = request.pubKeyCredParams
    .filter(({ type }) => type === 'public-key')
    .map(({ alg }) => settings.algorithms.find(({ id }) => id === alg))
    .find((supported) => supported !== undefined);
  if (algorithm === undefined) return unsupportedAlgorithm(settings, request);

  // Step 3, with the user's consent: otherwise a site could probe for credentials unnoticed.
  const excluded = await findExcluded(settings, request);
  if (excluded) return excluded;

  // Steps 4 and 5, for which CTAP 2 has one status.
  if (requireResidentKey && !settings.residentKey) {
    return failure('CTAP2_ERR_UNSUPPORTED_OPTION', 'A discoverable credential was required; this authenticator cannot store one.');
  }
  if (requireUserVerification && !settings.userVerifier.canVerify) {
    return unverifiable(settings.userVerifier);
  }
  const discoverable = requireResidentKey || (settings.alwaysDiscoverable && settings.residentKey);
  if (extensions.largeBlob?.support === 'required' && !(settings.extensions.includes('largeBlob') && discoverable)) {
    const message = 'Large blobs were required; this authenticator stores them with discoverable credentials only, or not at all.';
    return failure('CTAP2_ERR_UNSUPPORTED_OPTION', message);
  }

  const opened = openInputs(settings, extensions, { operation: 'create', random: sources.random });
  if (!opened.ok) return opened;

  // Step 6.
  const gesture = await askUser(settings, request);
  if (!gesture.ok) return gesture;

  // Step 7.
  if (discoverable && (await isFull(settings, request))) {
    return failure(
      'CTAP2_ERR_KEY_STORE_FULL',
      `This authenticator is full: it already holds ${settings.maxDiscoverableCredentials} discoverable credentials.`,
    );
  }
  const privateKey = await sources.newPrivateKey(algorithm);
  const source: CredentialSource = {
    id: sources.newCredentialId(settings.credentialIdLength),
    rpId: rp.id,
    rpName: rp.name,
    user: { id: user.id, name: user.name, displayName: user.displayName },
    algorithm: algorithm.id,
    privateKey,
    discoverable,
    // Steps 9 and 10: the counter exists as long as the credential.
    signCount: settings.counter.created(),
    backupEligible: settings.backupEligible,
    backupState: settings.backupState,
    ...newCredentialMembers(settings, opened.inputs, discoverable, sources.random),
  };
  const key = await settings.sources.openKey(algorithm, privateKey);
  const format = chooseFormat(settings.attestation, request.attestationFormats, algorithm.id);
  const attested = await attest(settings, request, { source, key, gesture, opened, format, sources });
  const undetermined = sources.undetermined?.(format);
  await settings.store.put(source);
  return {
    ok: true,
    attestationObject: attested,
    discoverable,
    unsignedExtensionOutputs: registrationOutputs(settings, opened, source, gesture.verified),
    ...(undetermined && { undetermined }),
  };
}

/** Tests whether the store has no room for another credential. A credential that replaces one of the same user needs no room. */
async function isFull({ store, maxDiscoverableCredentials }: AuthenticatorSettings, { rp, user }: MakeCredentialRequest): Promise<boolean> {
  if (maxDiscoverableCredentials === undefined) return false;
  const held = await store.list();
  const others = held.filter((source) => source.discoverable && !(source.rpId === rp.id && equalBytes(source.user.id, user.id)));
  return others.length >= maxDiscoverableCredentials;
}

function unsupportedAlgorithm(settings: AuthenticatorSettings, { pubKeyCredParams }: MakeCredentialRequest): AuthenticatorFailure {
  const asked = pubKeyCredParams.map(({ alg }) => alg).join(', ') || 'none';
  const known = settings.algorithms.map(({ id, name }) => `${id} (${name})`).join(', ');
  return failure('CTAP2_ERR_UNSUPPORTED_ALGORITHM', `Expected one of the algorithms ${known}; the client asked for ${asked}.`);
}

async function findExcluded(settings: AuthenticatorSettings, request: MakeCredentialRequest): Promise<AuthenticatorFailure | undefined> {
  for (const { id } of request.excludeCredentials) {
    const known = await settings.store.find(request.rp.id, id);
    // CTAP 2.3 §12.1.1: a credential that requires user verification stays hidden from ceremonies without it.
    if (known === undefined || known.hidden || (known.protection === 3 && !request.requireUserVerification)) continue;
    const gesture = await askUser(settings, request);
    return gesture.ok
      ? failure('CTAP2_ERR_CREDENTIAL_EXCLUDED', 'This authenticator already has a credential that excludeCredentials lists.')
      : gesture;
  }
  return undefined;
}

function askUser(settings: AuthenticatorSettings, request: MakeCredentialRequest): Promise<Gesture | AuthenticatorFailure> {
  const { rp, requireUserPresence, requireUserVerification, signal } = request;
  return collectGesture(settings.userVerifier, {
    operation: 'create',
    rpId: rp.id,
    requireUserPresence,
    userVerification: requireUserVerification && settings.userVerifier.canVerify,
    ...(signal && { signal }),
  });
}

interface NewCredential {
  readonly source: CredentialSource;
  readonly key: SigningKey;
  readonly gesture: Gesture;
  readonly opened: OpenedInputs;
  readonly format: AttestationFormat;
  readonly sources: OperationSources;
}

/** Builds the authenticator data, the attestation statement and the attestation object (§6.3.2 steps 11 to 13; §6.5.4). */
async function attest(
  settings: AuthenticatorSettings,
  request: MakeCredentialRequest,
  { source, key, gesture, opened, format, sources }: NewCredential,
): Promise<Uint8Array> {
  const rpIdHash = hashRpId(source.rpId);
  const proven = { up: gesture.present, uv: gesture.verified, be: source.backupEligible, bs: source.backupState };
  const flags = settings.flags(proven, { operation: 'create', rpId: source.rpId, credentialId: source.id });
  const credentialPublicKey = key.coseKey;
  const authData = encodeAuthenticatorData({
    rpIdHash,
    flags,
    signCount: source.signCount,
    attestedCredentialData: {
      aaguid: settings.aaguid,
      credentialId: source.id,
      credentialPublicKey: encodeCoseKey(credentialPublicKey),
    },
    extensions: signedRegistrationOutputs(settings, opened, source, gesture.verified),
  });
  return attestationObject(format, {
    authenticatorData: authData,
    clientDataHash: request.clientDataHash,
    algorithm: source.algorithm,
    sign: (data) => key.sign(data),
    credentialPublicKey,
    credentialId: source.id,
    aaguid: settings.aaguid,
    flags,
    rpId: source.rpId,
    rpIdHash,
    enterprise: request.enterpriseAttestationPossible,
    random: sources.random,
    now: sources.now,
  });
}
