import { createHash } from 'node:crypto';
import type {
  Authenticator,
  AuthenticatorAnswer,
  AuthenticatorExtensionInputs,
  CredentialDescriptor,
  GetAssertionRequest,
  GetAssertionResponse,
} from '../authenticator/ports.js';
import { PasskeyError } from '../errors.js';
import { equalBytes } from '../kernel/bytes.js';
import { decodeAuthenticatorData } from '../webauthn/authenticator-data.js';
import { encodeBase64url } from '../webauthn/base64url.js';
import type { CborMap } from '../webauthn/cbor.js';
import { MEDIATIONS } from '../webauthn/enumerations.js';
import { checkAppId } from './app-id.js';
import { orderedByHints } from './authenticators.js';
import { determineRpId } from './caller.js';
import { collectClientData } from './client-data.js';
import type { Assertion, RequestOptionsInput } from './dictionaries.js';
import { requestInputs, requestOutputs } from './extensions.js';
import { lifetime, withinLimits } from './lifetime.js';
import { domException } from './members.js';
import { type RequestOptions, readRequestOptions } from './options.js';
import { readPayment } from './payment.js';
import { type CredentialOptions, checkPermission, type Platform, readCredentialOptions } from './platform.js';
import { type PrfChannel, plainChannel, requestChannel, usesHmacSecret } from './prf.js';

/** CredentialRequestOptions with public key options. */
export type GetOptions = CredentialOptions<RequestOptionsInput>;

/** Makes an assertion: `[[DiscoverFromExternalSource]](origin, options, sameOriginWithAncestors)` (W3C WebAuthn L3 §5.1.4.1). */
export async function get(platform: Platform, getOptions: GetOptions): Promise<Assertion> {
  const { caller, reading } = platform;
  const { publicKey, signal, mediation } = readCredentialOptions(getOptions, [...MEDIATIONS, 'immediate']);
  const options = readRequestOptions(publicKey, reading);
  const payment = readPayment(options.extensions, caller.topOrigin ?? caller.origin);
  signal?.throwIfAborted();
  if (mediation === 'immediate' && options.limited) {
    throw domException('NotAllowedError', 'Expected no publicKey.allowCredentials with uiMode "immediate"; the list has entries.');
  }
  checkPermission(platform, ...(payment ? (['payment'] as const) : (['publickey-credentials-get'] as const)));
  // Secure Payment Confirmation §5: any site may ask for a payment with the credential of another.
  const determined = payment ? payment.rpId : determineRpId(platform, options.rpId, 'publicKey.rpId');
  const rpId = typeof determined === 'string' ? determined : await determined;
  const inputs = requestInputs(options.extensions, options.allowCredentials);
  const appId = readAppId(platform, options);
  const clientDataJSON = collectClientData(platform, {
    type: payment ? 'payment.get' : 'webauthn.get',
    challenge: options.challenge,
    payment: payment?.clientData,
  });

  const requests: Requests = {
    rpIds: [rpId, ...(appId === undefined ? [] : [appId])],
    clientDataHash: new Uint8Array(createHash('sha256').update(clientDataJSON).digest()),
    options,
    inputs,
  };
  const limits = {
    signal,
    timer: platform.timer,
    lifetime: mediation === 'conditional' ? Number.POSITIVE_INFINITY : lifetime(options.timeout, options.userVerification),
  };
  const { answer, authenticator, channel, used } = await withinLimits(limits, async (cancel) => {
    if (mediation === 'conditional') return await askHolder(platform, requests, cancel);
    if (mediation === 'immediate') await refuseWithoutLocalCredential(platform, rpId);
    return await askInTurn(platform, requests, cancel);
  });
  // §5.1.4.3: one name for every refusal; the message is for developers.
  if (!answer.ok) throw domException('NotAllowedError', answer.message);
  const id = encodeBase64url(answer.credentialId);
  const signed = needsSigned(channel.inputs) ? readSignedExtensions(answer.authenticatorData) : undefined;
  return {
    id,
    rawId: id,
    type: 'public-key',
    response: {
      clientDataJSON: encodeBase64url(clientDataJSON),
      authenticatorData: encodeBase64url(answer.authenticatorData),
      signature: encodeBase64url(answer.signature),
      ...(answer.userHandle && { userHandle: encodeBase64url(answer.userHandle) }),
    },
    ...(authenticator.info && { authenticatorAttachment: authenticator.info.attachment }),
    clientExtensionResults: {
      ...requestOutputs(inputs, channel.outputs(answer.unsignedExtensionOutputs, signed), signed),
      ...(appId !== undefined && { appid: used === appId }),
    },
  };
}

/** Requests that one ceremony sends to its authenticators. */
interface Requests {
  /** The RP ID, followed by the AppID if there is one. */
  readonly rpIds: readonly string[];
  readonly clientDataHash: Uint8Array;
  readonly options: RequestOptions;
  readonly inputs: AuthenticatorExtensionInputs;
}

interface Asked {
  readonly answer: AuthenticatorAnswer<GetAssertionResponse>;
  readonly authenticator: Authenticator;
  readonly channel: PrfChannel;
  /** RP ID or AppID for which the authenticator had a credential. */
  readonly used: string;
}

/** Asks the authenticators, in the order of the hints, until one has a credential. Asks first for the RP ID, then for the AppID. */
async function askInTurn({ authenticators, random }: Platform, requests: Requests, cancel: AbortSignal | undefined): Promise<Asked> {
  const allowCredentials = allowed(requests.options);
  let last: Asked | undefined;
  for (const authenticator of orderedByHints(authenticators, requests.options.hints)) {
    for (const rpId of requests.rpIds) {
      last = await ask(authenticator, { requests, rpId, allowCredentials, random, cancel });
      if (last.answer.ok || last.answer.status !== 'CTAP2_ERR_NO_CREDENTIALS') return last;
    }
  }
  if (last === undefined) throw new TypeError('Expected an authenticator; there is none.');
  return last;
}

interface Question {
  readonly requests: Requests;
  readonly rpId: string;
  readonly allowCredentials: readonly CredentialDescriptor[] | undefined;
  readonly random: Platform['random'];
  readonly cancel: AbortSignal | undefined;
}

async function ask(authenticator: Authenticator, { requests, rpId, allowCredentials, random, cancel }: Question): Promise<Asked> {
  const { clientDataHash, options, inputs } = requests;
  const request: Omit<GetAssertionRequest, 'extensions'> = {
    rpId,
    clientDataHash,
    ...(allowCredentials && { allowCredentials }),
    requireUserPresence: true,
    requireUserVerification: requireUserVerification(options, authenticator),
    ...(cancel && { signal: cancel }),
  };
  const findHeld = async () => {
    const silent = { requireUserPresence: false, requireUserVerification: false, extensions: {} };
    const found = await authenticator.getAssertion({ ...request, ...silent });
    return found.ok ? found.credentialId : undefined;
  };
  const encrypted = usesHmacSecret(authenticator, inputs);
  const channel = encrypted ? await requestChannel(authenticator, inputs, random, findHeld) : plainChannel(inputs);
  return { answer: await authenticator.getAssertion({ ...request, extensions: channel.inputs }), authenticator, channel, used: rpId };
}

/**
 * Decides whether to require user verification of an authenticator (§5.1.4.2, "issuing a credential request to an authenticator", steps 1
 * and 2).
 */
function requireUserVerification({ userVerification }: RequestOptions, { info }: Authenticator): boolean {
  const possible = info?.userVerification ?? true;
  if (userVerification === 'required' && !possible && !info?.pinNotSet) {
    throw domException('NotAllowedError', 'publicKey.userVerification is "required"; the authenticator cannot verify its user.');
  }
  return userVerification === 'required' || (userVerification === 'preferred' && possible);
}

function allowed({ allowCredentials, limited }: RequestOptions): readonly CredentialDescriptor[] | undefined {
  if (!limited) return undefined;
  if (allowCredentials.length > 0) return allowCredentials;
  throw domException('NotAllowedError', 'Expected an entry of publicKey.allowCredentials with type "public-key"; there is none.');
}

/**
 * Requests an assertion with conditional mediation (§5.1.4.1 step 3). The allow list only filters the credentials that the authenticators
 * discover. If no credential remains or the user picks none, this client fails at once, while a browser waits forever.
 */
async function askHolder(
  { authenticators, pickCredential, random }: Platform,
  requests: Requests,
  cancel: AbortSignal | undefined,
): Promise<Asked> {
  const { options, rpIds } = requests;
  const [rpId = ''] = rpIds;
  const question = { requests, rpId, random, cancel };
  const discovered = await Promise.all(
    authenticators.map(async (authenticator) => {
      const held = (await authenticator.discover?.(rpId)) ?? [];
      return held.map((credential) => ({ credential, authenticator }));
    }),
  );
  const [only] = authenticators;
  if (authenticators.length === 1 && only.discover === undefined) return await ask(only, { ...question, allowCredentials: undefined });
  const { limited, allowCredentials } = options;
  const offers = discovered.flat().filter(({ credential }) => !limited || allowCredentials.some(({ id }) => equalBytes(id, credential.id)));
  const [first, ...others] = offers.map(({ credential }) => credential);
  const picked = first && (await pickCredential([first, ...others]));
  const holder = picked && offers.find(({ credential }) => equalBytes(credential.id, picked.id));
  if (holder === undefined) {
    const detail = first === undefined ? 'the authenticator has none' : 'the user picked none';
    throw domException('NotAllowedError', `Expected a discoverable credential for ${rpId}; ${detail}. A browser would keep waiting.`);
  }
  return await ask(holder.authenticator, { ...question, allowCredentials: [{ type: 'public-key', id: holder.credential.id }] });
}

/** Rejects a request in immediate mode if this device has no credential, because immediate mode never offers another device. */
async function refuseWithoutLocalCredential({ authenticators }: Platform, rpId: string): Promise<void> {
  for (const authenticator of authenticators) {
    if (authenticator.info?.attachment === 'cross-platform') continue;
    const discovered = await authenticator.discover?.(rpId);
    // One that cannot discover says itself that it has none.
    if (discovered === undefined || discovered.length > 0) return;
  }
  throw domException('NotAllowedError', `Expected a discoverable credential for ${rpId} on this device; there is none.`);
}

function readAppId({ caller }: Platform, { extensions }: RequestOptions): string | undefined {
  const appId = extensions?.optionalString('appid');
  return appId === undefined ? undefined : checkAppId(caller, appId, 'publicKey.extensions.appid');
}

function needsSigned({ credBlob, hmacSecret }: AuthenticatorExtensionInputs): boolean {
  return credBlob !== undefined || hmacSecret !== undefined;
}

/** Reads the extension outputs in authenticator data. @throws DOMException `UnknownError` for authenticator data that cannot be read. */
function readSignedExtensions(authenticatorData: Uint8Array): CborMap | undefined {
  try {
    return decodeAuthenticatorData(authenticatorData).extensions;
  } catch (error) {
    if (!(error instanceof PasskeyError)) throw error;
    throw domException('UnknownError', `Expected authenticator data from the authenticator. ${error.message}`);
  }
}
