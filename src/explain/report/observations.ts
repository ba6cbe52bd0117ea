import { asObject, isObject, type JsonObject } from '../../kernel/json-value.js';
import { findRewriting, rewritingHint } from '../../relying-party/diagnosis/rewritten-client-data.js';
import { whyNoRpId } from '../../relying-party/diagnosis/rp-id.js';
import type { AuthenticationContext, RegistrationContext } from '../../relying-party/steps/context.js';
import { formatAaguid } from '../../webauthn/aaguid.js';
import type { AuthenticatorData } from '../../webauthn/authenticator-data.js';
import type { CborMap } from '../../webauthn/cbor.js';
import type { RequirementLevel } from '../../webauthn/enumerations.js';

/** A property of a ceremony that fails no step but is often overlooked or taken for a mistake. */
export interface Observation {
  /** Identifies the kind of remark. Defined by this package, and does not change between versions. */
  readonly slug: string;
  /** The remark, as one sentence. */
  readonly message: string;
}

/**
 * Collects remarks on a registration that are not results of steps. `options` is the JSON form of the standard; `response` is the member
 * `response` of the credential.
 */
export function observeRegistration(
  context: RegistrationContext,
  { options, response }: { options?: JsonObject | undefined; response: JsonObject },
): Observation[] {
  const { authenticatorData, attestationObject } = context;
  const data = authenticatorData?.ok === true ? authenticatorData.value : undefined;
  const fmt = attestationObject.ok ? attestationObject.value.fmt : undefined;
  const { userVerification } = asObject(options?.['authenticatorSelection']);
  return [
    ...observeRpId(context),
    ...observeRewriting(context),
    ...observeAaguid(data?.attestedCredentialData?.aaguid, fmt, options),
    ...observeConveyance(fmt, options),
    ...observeTransports(response),
    ...observeUserVerification(data?.flags.uv, context.userVerification, userVerification),
    ...observeDiscoverability(context.clientExtensionResults, options),
    ...observeExtensions(options, context.clientExtensionResults, data?.extensions),
  ];
}

function* observeRewriting({ clientDataJSON }: { readonly clientDataJSON: Uint8Array }): Generator<Observation> {
  const found = findRewriting(clientDataJSON);
  if (found !== undefined) yield { slug: 'client-data-rewritten', message: rewritingHint(found) };
}

function* observeRpId({ clientData, rpId }: Pick<RegistrationContext, 'clientData' | 'rpId'>): Generator<Observation> {
  const message = clientData.ok && rpId !== '' ? whyNoRpId(rpId, clientData.value.origin) : undefined;
  if (message !== undefined) yield { slug: 'rp-id-impossible', message };
}

function* observeAaguid(aaguid: Uint8Array | undefined, fmt: string | undefined, options: JsonObject | undefined): Generator<Observation> {
  if (aaguid === undefined || !/^[0-]+$/.test(formatAaguid(aaguid))) return;
  const asked = (options?.['attestation'] ?? 'none') !== 'none';
  const why =
    fmt === 'fido-u2f'
      ? 'U2F security keys have none'
      : fmt === 'none' && !asked
        ? 'no attestation was requested, so the browser may hide the model'
        : 'this authenticator does not reveal its model';
  const remedy = asked ? 'do not rely on it' : 'ask for attestation "direct" only if you need to know it';
  yield { slug: 'aaguid-zero', message: `The AAGUID is all zero, which is normal: ${why}; ${remedy}.` };
}

function* observeConveyance(fmt: string | undefined, options: JsonObject | undefined): Generator<Observation> {
  const asked = options?.['attestation'];
  if (fmt !== 'none' || (asked !== 'direct' && asked !== 'indirect' && asked !== 'enterprise')) return;
  yield {
    slug: 'attestation-none',
    message: `Attestation "${asked}" was requested and none came, which is normal: passkey providers that sync have none, and users and browsers may withhold it; accept it, or say that only attested authenticators can be used.`,
  };
}

function* observeTransports({ transports }: JsonObject): Generator<Observation> {
  if (Array.isArray(transports) && transports.length > 0) return;
  yield {
    slug: 'transports-missing',
    message:
      'response.transports is missing or empty: store what getTransports() returns (toJSON() has it) and send it back in allowCredentials, or browsers cannot tell where to look for the passkey.',
  };
}

function* observeDiscoverability(results: JsonObject, options: JsonObject | undefined): Generator<Observation> {
  const { residentKey } = asObject(options?.['authenticatorSelection']);
  const { rk } = asObject(results['credProps']);
  if ((residentKey !== 'required' && residentKey !== 'preferred') || rk !== false) return;
  yield {
    slug: 'not-discoverable',
    message:
      'The credential is not discoverable (credProps.rk is false): it works only if allowCredentials names it, not for a login without user name.',
  };
}

/** Collects remarks on an authentication that are not results of steps. */
export function observeAuthentication(context: AuthenticationContext, { options }: { options?: JsonObject | undefined }): Observation[] {
  const { authenticatorData } = context;
  const data = authenticatorData?.ok === true ? authenticatorData.value : undefined;
  return [
    ...observeRpId(context),
    ...observeRewriting(context),
    ...observeState(context, data),
    ...observeUserVerification(data?.flags.uv, context.userVerification, options?.['userVerification']),
    ...observeListed(options),
    ...observeExtensions(options, context.clientExtensionResults, data?.extensions),
  ];
}

/** Compares the flags in a login with the stored credential record. */
function* observeState(
  { credential, userHandle, allowCredentials }: AuthenticationContext,
  data: AuthenticatorData | undefined,
): Generator<Observation> {
  if (data?.signCount === 0 && credential.signCount === 0) {
    yield {
      slug: 'counter-zero',
      message:
        'The signature counter is 0, which is normal: synced passkeys and many others do not count, so the counter cannot reveal clones.',
    };
  }
  if (userHandle === undefined && allowCredentials.length > 0) {
    yield { slug: 'user-handle-null', message: 'There is no user handle, which is allowed: allowCredentials already identified the user.' };
  }
  if (data === undefined || data.flags.be !== credential.backupEligible || data.flags.bs === credential.backupState) return;
  yield {
    slug: 'backup-state-changed',
    message: data.flags.bs
      ? 'The passkey is now backed up (BS), which it was not before: it may be synced to other devices; store the new state.'
      : 'The passkey is no longer backed up (BS is not set): offer a second one before this device is lost; store the new state.',
  };
}

function* observeListed(options: JsonObject | undefined): Generator<Observation> {
  const listed = options?.['allowCredentials'];
  const isBare = (entry: unknown) => isObject(entry) && !(Array.isArray(entry['transports']) && entry['transports'].length > 0);
  if (!Array.isArray(listed) || !listed.some(isBare)) return;
  yield {
    slug: 'transports-missing',
    message:
      'allowCredentials names a credential without transports: send those of the registration, or browsers cannot tell where to look for the passkey.',
  };
}

/** Remarks on user verification, because a server's options often differ from its checks. */
function* observeUserVerification(uv: boolean | undefined, wanted: RequirementLevel, asked: unknown): Generator<Observation> {
  if (uv !== undefined && wanted === 'required' && asked !== undefined && asked !== 'required') {
    yield {
      slug: 'user-verification-not-asked',
      message: `The options request userVerification ${JSON.stringify(asked)} but UV is required here: "preferred" does not make an authenticator verify the user; request "required".`,
    };
  } else if (uv === false && wanted === 'preferred') {
    yield {
      slug: 'user-not-verified',
      message:
        'The user was not verified (no UV), which "preferred" allows: it counts as one factor; request "required" if you rely on a PIN or biometrics.',
    };
  }
}

/**
 * Extensions that the authenticator processes, so that its output shows whether it did. Only the browser processes others, such as
 * `credProps`.
 */
const BY_AUTHENTICATOR: readonly string[] = ['credProtect', 'minPinLength', 'hmacCreateSecret', 'uvm', 'credBlob', 'getCredBlob'];
/** Names that authenticators use for extensions, by the names that browsers use, if they differ. */
const AUTHENTICATOR_NAMES: ReadonlyMap<string, string> = new Map([
  ['hmacCreateSecret', 'hmac-secret'],
  ['hmacGetSecret', 'hmac-secret'],
  ['credentialProtectionPolicy', 'credProtect'],
  ['getCredBlob', 'credBlob'],
]);
/** Extension inputs that belong to another extension, or that cause no output. */
const SILENT: readonly string[] = ['enforceCredentialProtectionPolicy', 'appidExclude', 'payment', 'remoteClientDataJSON'];
/**
 * How the browser's output shows that the authenticator does not support an extension: the member that is false, or undefined if the output
 * itself is false.
 */
const UNSUPPORTED: ReadonlyMap<string, string | undefined> = new Map([
  ['prf', 'enabled'],
  ['largeBlob', 'supported'],
  ['hmacCreateSecret', undefined],
  ['credBlob', undefined],
]);

/** Describes the browser's output for an extension that the authenticator does not support; undefined if it supports the extension. */
function explainRefusal(name: string, output: unknown): string | undefined {
  const member = UNSUPPORTED.get(name);
  if (!UNSUPPORTED.has(name) || (member === undefined ? output : isObject(output) && output[member]) !== false) {
    return undefined;
  }
  // Without the member `isObject(...) && ...` is false for a value that is not an object, which says nothing.
  return member === undefined ? `${name} is false` : isObject(output) ? `${name}.${member} is false` : undefined;
}

/** Reports requested extensions that caused no output or were refused. */
function* observeExtensions(options: JsonObject | undefined, results: JsonObject, outputs: CborMap | undefined): Generator<Observation> {
  for (const name of Object.keys(asObject(options?.['extensions']))) {
    const isAnswered = Object.hasOwn(results, name);
    const refusal = explainRefusal(name, isAnswered ? results[name] : undefined);
    if (refusal !== undefined) {
      yield {
        slug: 'extension-unsupported',
        message: `The extension ${name} was requested, but this authenticator lacks it (${refusal}); every extension is optional, so continue without it, or offer another authenticator.`,
      };
    } else if (!SILENT.includes(name) && !isAnswered && outputs?.has(AUTHENTICATOR_NAMES.get(name) ?? name) !== true) {
      const byAuthenticator = BY_AUTHENTICATOR.includes(name) || AUTHENTICATOR_NAMES.has(name);
      yield {
        slug: 'extension-ignored',
        message: byAuthenticator
          ? `The extension ${name} was requested but is not in the authenticator data: this authenticator does not know it, or refused it; every extension is optional, so continue without it.`
          : `The extension ${name} was requested but clientExtensionResults has no output of it: this browser does not know it, or the page did not send the results; every extension is optional, so continue without it.`,
      };
    }
  }
}
