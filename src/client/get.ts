import { createHash } from 'node:crypto';
import type { AuthenticatorInfo, CredentialDescriptor, GetAssertionRequest } from '../authenticator/ports.js';
import { encodeBase64url } from '../webauthn/base64url.js';
import { equalBytes } from '../webauthn/bytes.js';
import { encodeClientData } from '../webauthn/client-data.js';
import type { CredentialMediation } from '../webauthn/enumerations.js';
import { determineRpId } from './caller.js';
import type { Assertion, RequestOptionsInput } from './dictionaries.js';
import { outputs, requestInputs } from './extensions.js';
import { lifetime, withinLimits } from './lifetime.js';
import { domException } from './members.js';
import { type RequestOptions, readRequestOptions } from './options.js';
import { type Platform, readCredentialOptions } from './platform.js';

/** CredentialRequestOptions with a public key. */
export interface GetOptions {
  readonly publicKey: RequestOptionsInput;
  readonly signal?: AbortSignal;
  /** `conditional` offers discoverable credentials only, as autofill does. */
  readonly mediation?: CredentialMediation;
}

/** `[[DiscoverFromExternalSource]](origin, options, sameOriginWithAncestors)` (W3C WebAuthn L3 §5.1.4.1). */
export async function get(platform: Platform, getOptions: GetOptions): Promise<Assertion> {
  const { authenticator, caller } = platform;
  const { publicKey, signal, conditional } = readCredentialOptions(getOptions);
  const options = readRequestOptions(publicKey);
  signal?.throwIfAborted();
  const rpId = determineRpId(caller, options.rpId, 'publicKey.rpId');
  const extensions = requestInputs(options.extensions, options.allowCredentials);
  const clientDataJSON = encodeClientData({ type: 'webauthn.get', challenge: encodeBase64url(options.challenge), ...caller });

  const { info } = authenticator;
  const request: Omit<GetAssertionRequest, 'allowCredentials'> = {
    rpId,
    clientDataHash: new Uint8Array(createHash('sha256').update(clientDataJSON).digest()),
    requireUserPresence: true,
    requireUserVerification: requireUserVerification(options, info),
    extensions,
  };
  const limits = {
    signal,
    timer: platform.timer,
    lifetime: conditional ? Number.POSITIVE_INFINITY : lifetime(options.timeout, options.userVerification),
  };
  const answer = await withinLimits(limits, async (cancel) => {
    const allowCredentials = conditional ? await pickFromAutofill(platform, options, rpId) : allowed(options);
    return await authenticator.getAssertion({ ...request, ...(allowCredentials && { allowCredentials }), signal: cancel });
  });
  // §5.1.4.3: one name for every refusal; the message is for developers.
  if (!answer.ok) throw domException('NotAllowedError', answer.message);
  const id = encodeBase64url(answer.credentialId);
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
    ...(info && { authenticatorAttachment: info.attachment }),
    clientExtensionResults: outputs(answer.unsignedExtensionOutputs),
  };
}

/** §5.1.4.2, "issuing a credential request to an authenticator", step 1 and 2. */
function requireUserVerification({ userVerification }: RequestOptions, info: AuthenticatorInfo | undefined): boolean {
  const possible = info?.userVerification ?? true;
  if (userVerification === 'required' && !possible) {
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
 * Conditional mediation (§5.1.4.1 step 3): the allow list only filters what the authenticator discovers. If nothing fits or nothing is
 * picked, a browser waits forever; this client fails at once.
 */
async function pickFromAutofill(
  { authenticator, pickCredential }: Platform,
  { allowCredentials, limited }: RequestOptions,
  rpId: string,
): Promise<readonly CredentialDescriptor[] | undefined> {
  if (authenticator.discover === undefined) return undefined;
  const discovered = await authenticator.discover(rpId);
  const [first, ...others] = limited
    ? discovered.filter(({ id }) => allowCredentials.some((descriptor) => equalBytes(descriptor.id, id)))
    : discovered;
  const picked = first && (await pickCredential([first, ...others]));
  if (picked === undefined) {
    const detail = first === undefined ? 'the authenticator has none' : 'the user picked none';
    throw domException('NotAllowedError', `Expected a discoverable credential for ${rpId}; ${detail}. A browser would keep waiting.`);
  }
  return [{ type: 'public-key', id: picked.id }];
}
