import { createHash } from 'node:crypto';
import type { Authenticator, AuthenticatorFailure, AuthenticatorInfo, MakeCredentialRequest } from '../authenticator/ports.js';
import { encodeBase64url } from '../webauthn/base64url.js';
import type { CredentialMediation } from '../webauthn/enumerations.js';
import { checkAppId } from './app-id.js';
import { orderedByHints } from './authenticators.js';
import { determineRpId } from './caller.js';
import { collectClientData } from './client-data.js';
import { readCreatedCredential } from './created-credential.js';
import type { CreatedCredential, CreationOptionsInput, NamedTransport } from './dictionaries.js';
import { asksForCredProps, creationInputs, creationOutputs, enforcesProtection, refuseInconsistentProtection } from './extensions.js';
import { lifetime, withinLimits } from './lifetime.js';
import { domException } from './members.js';
import { type CreationOptions, readCreationOptions } from './options.js';
import { asksForPayment } from './payment.js';
import { checkPermission, type Platform, readCredentialOptions } from './platform.js';
import { creationChannel, plainChannel, usesHmacSecret } from './prf.js';

/** CredentialCreationOptions with public key options. */
export interface CreateOptions {
  readonly publicKey: CreationOptionsInput;
  readonly signal?: AbortSignal;
  /** `conditional` creates a passkey without a user gesture, after the user has signed in by other means. */
  readonly mediation?: CredentialMediation;
}

/** Creates a credential: `[[Create]](origin, options, sameOriginWithAncestors)` (W3C WebAuthn L3 §5.1.3). */
export async function create(platform: Platform, createOptions: CreateOptions): Promise<CreatedCredential> {
  const { caller, reading } = platform;
  const { publicKey, signal, mediation } = readCredentialOptions(createOptions);
  const conditional = mediation === 'conditional';
  const options = readCreationOptions(publicKey, reading);
  signal?.throwIfAborted();
  // Step 2.
  if (conditional && caller.crossOrigin) {
    throw domException('NotAllowedError', 'Expected a page that is same-origin with its ancestors for mediation "conditional"; it is not.');
  }
  checkPermission(platform, 'publickey-credentials-create', ...(asksForPayment(options.extensions) ? (['payment'] as const) : []));
  const determined = determineRpId(platform, options.rp.id, 'publicKey.rp.id');
  const rpId = typeof determined === 'string' ? determined : await determined;
  refuseInconsistentProtection(options.extensions, options);
  const inputs = creationInputs(options.extensions);
  const credProps = asksForCredProps(options.extensions);
  const protectionEnforced = enforcesProtection(options.extensions);
  const appIdExclude = readAppIdExclude(platform, options);
  const clientDataJSON = collectClientData(platform, { type: 'webauthn.create', challenge: options.challenge });

  const authenticator = select(platform, options, protectionEnforced);
  const { info } = authenticator;
  const residentKeyPossible = info?.residentKey ?? true;
  const requireResidentKey = options.residentKey === 'required' || (options.residentKey === 'preferred' && residentKeyPossible);
  const request: Omit<MakeCredentialRequest, 'extensions'> = {
    clientDataHash: new Uint8Array(createHash('sha256').update(clientDataJSON).digest()),
    rp: { id: rpId, name: options.rp.name },
    user: options.user,
    pubKeyCredParams: options.pubKeyCredParams,
    excludeCredentials: options.excludeCredentials,
    requireResidentKey,
    requireUserPresence: !conditional,
    // A conditional create shows no prompt, so it does without preferred verification.
    requireUserVerification:
      options.userVerification === 'required' ||
      (options.userVerification === 'preferred' && !conditional && (info?.userVerification ?? true)),
    enterpriseAttestationPossible: options.attestation === 'enterprise' && platform.enterpriseRpIds.includes(rpId),
    attestationFormats: options.attestation === 'none' ? ['none'] : options.attestationFormats,
  };
  const encrypted = usesHmacSecret(authenticator, inputs);
  const channel = encrypted ? await creationChannel(authenticator, inputs, platform.random) : plainChannel(inputs);
  const limits = { signal, timer: platform.timer, lifetime: lifetime(options.timeout, options.userVerification) };
  const answer = await withinLimits(limits, async (cancel) => {
    if (appIdExclude !== undefined) await refuseExcludedByAppId(authenticator, appIdExclude, request);
    return await authenticator.makeCredential({ ...request, extensions: channel.inputs, ...(cancel && { signal: cancel }) });
  });
  if (!answer.ok) throw refusal(answer);
  const { id, response, signed } = readCreatedCredential(answer, options.attestation);
  return {
    id,
    rawId: id,
    type: 'public-key',
    response: { clientDataJSON: encodeBase64url(clientDataJSON), ...response, transports: sortedTransports(info) },
    ...(info && { authenticatorAttachment: info.attachment }),
    clientExtensionResults: creationOutputs({
      inputs,
      extensions: options.extensions,
      credProps,
      discoverable: answer.discoverable ?? requireResidentKey,
      unsigned: channel.outputs(answer.unsignedExtensionOutputs, signed),
      signed,
    }),
  };
}

/**
 * Lists the transports of an authenticator without duplicates, in lexicographical order (§5.2.1). The type has only the standard's values,
 * but unknown values pass too, because the standard only says that authenticators SHOULD use its values.
 */
function sortedTransports(info: AuthenticatorInfo | undefined): NamedTransport[] {
  return [...new Set(info?.transports)].sort() as NamedTransport[];
}

/** Selects the first suitable authenticator, in the order of the hints. If none is suitable, throws the reason why the first is not. */
function select({ authenticators }: Platform, options: CreationOptions, protectionEnforced: boolean): Authenticator {
  const candidates = orderedByHints(authenticators, options.hints);
  const chosen = candidates.find(({ info }) => unfit(info, options, protectionEnforced) === undefined);
  if (chosen) return chosen;
  throw (
    unfit(candidates[0].info, options, protectionEnforced) ??
    domException('NotAllowedError', 'Expected an authenticator that meets the options; there is none.')
  );
}

/** Finds the reason why an authenticator cannot be used (§5.1.3, "If an authenticator becomes available"); undefined if it can be. */
function unfit(info: AuthenticatorInfo | undefined, options: CreationOptions, protectionEnforced: boolean): Error | undefined {
  if (info === undefined) return undefined;
  const selection = 'publicKey.authenticatorSelection';
  const { authenticatorAttachment, residentKey, userVerification } = options;
  if (authenticatorAttachment !== undefined && authenticatorAttachment !== info.attachment) {
    const detail = `the options ask for ${authenticatorAttachment}, the authenticator is ${info.attachment}`;
    return domException('NotAllowedError', `Expected an authenticator that fits ${selection}.authenticatorAttachment; ${detail}.`);
  }
  if (residentKey === 'required' && !info.residentKey) {
    return domException(
      'ConstraintError',
      `${selection}.residentKey is "required"; the authenticator cannot store discoverable credentials.`,
    );
  }
  if (userVerification === 'required' && !info.userVerification && !info.pinNotSet) {
    return domException('ConstraintError', `${selection}.userVerification is "required"; the authenticator cannot verify its user.`);
  }
  if (protectionEnforced && info.extensions?.includes('credProtect') === false) {
    const detail = 'must be enforced; the authenticator does not support credProtect';
    return domException('NotAllowedError', `publicKey.extensions.credentialProtectionPolicy ${detail}.`);
  }
  return undefined;
}

function readAppIdExclude({ caller }: Platform, { extensions }: CreationOptions): string | undefined {
  const appId = extensions?.optionalString('appidExclude');
  return appId === undefined ? undefined : checkAppId(caller, appId, 'publicKey.extensions.appidExclude');
}

/**
 * Refuses to create a credential if the authenticator has an excluded U2F credential (§10.1.2), which is bound to an AppID instead of an RP
 * ID. As with `excludeCredentials`, the user must consent before the page learns that such a credential exists.
 *
 * @throws DOMException `InvalidStateError`, or `NotAllowedError` if the user does not consent.
 */
async function refuseExcludedByAppId(
  authenticator: Authenticator,
  appId: string,
  { clientDataHash, excludeCredentials }: Omit<MakeCredentialRequest, 'extensions'>,
): Promise<void> {
  if (excludeCredentials.length === 0) return;
  const request = { rpId: appId, clientDataHash, allowCredentials: excludeCredentials, requireUserVerification: false, extensions: {} };
  const silent = await authenticator.getAssertion({ ...request, requireUserPresence: false });
  if (!silent.ok) return;
  const consent = await authenticator.getAssertion({ ...request, requireUserPresence: true });
  if (!consent.ok) throw refusal(consent);
  throw domException(
    'InvalidStateError',
    'publicKey.excludeCredentials: This authenticator already has one of the listed credentials, found by extensions.appidExclude.',
  );
}

/**
 * Converts an authenticator's failure to a DOMException (§5.1.3.1). All refusals without the user's consent have the same name; the message
 * tells developers the difference.
 */
function refusal({ status, message }: AuthenticatorFailure): Error {
  switch (status) {
    case 'CTAP2_ERR_CREDENTIAL_EXCLUDED':
      return domException('InvalidStateError', `publicKey.excludeCredentials: ${message}`);
    case 'CTAP2_ERR_UNSUPPORTED_ALGORITHM':
      return domException('NotSupportedError', `publicKey.pubKeyCredParams: ${message}`);
    case 'CTAP2_ERR_UNSUPPORTED_OPTION':
      return domException('ConstraintError', message);
    default:
      return domException('NotAllowedError', message);
  }
}
