import type { CredentialDescriptor, CredentialParameters } from '../authenticator/ports.js';
import {
  ATTACHMENTS,
  ATTESTATION_CONVEYANCES,
  type AttestationConveyancePreference,
  type AuthenticatorAttachment,
  HINTS,
  knownValue,
  REQUIREMENT_LEVELS,
  type RequirementLevel,
} from '../webauthn/enumerations.js';
import { MAX_CREDENTIAL_DESCRIPTORS, MAX_USER_HANDLE_BYTES } from '../webauthn/limits.js';
import { knownHints } from './authenticators.js';
import { domException, Members, readDescriptors } from './members.js';
import { describeValue, type Reading } from './reading.js';

/** Creation options (§5.4) with the standard's default values filled in. */
export interface CreationOptions {
  readonly rp: { readonly id: string | undefined; readonly name: string };
  readonly user: { readonly id: Uint8Array; readonly name: string; readonly displayName: string };
  readonly challenge: Uint8Array;
  readonly pubKeyCredParams: readonly CredentialParameters[];
  readonly timeout: number | undefined;
  readonly excludeCredentials: readonly CredentialDescriptor[];
  readonly authenticatorAttachment: AuthenticatorAttachment | undefined;
  readonly residentKey: RequirementLevel;
  readonly userVerification: RequirementLevel;
  /** Hints, most preferred first, including unknown ones. */
  readonly hints: readonly string[];
  readonly attestation: AttestationConveyancePreference;
  readonly attestationFormats: readonly string[];
  readonly extensions: Members | undefined;
}

/** Parameters to use for an empty `pubKeyCredParams` (§5.1.3 step 9). */
const DEFAULT_PARAMETERS: readonly CredentialParameters[] = [
  { type: 'public-key', alg: -7 },
  { type: 'public-key', alg: -257 },
];

/**
 * Reads creation options from JSON (§5.1.9).
 *
 * @throws TypeError naming the member that is missing or of the wrong type, or when `user.id` does not have 1 to 64 bytes.
 * @throws DOMException `EncodingError` for a string that is not base64url.
 * @throws RangeError for a list of credentials that is longer than Chromium accepts, except in the mode `strict`.
 */
export function readCreationOptions(json: unknown, reading: Reading): CreationOptions {
  const options = Members.of(json, 'publicKey', reading);
  const rp = options.dictionary('rp');
  const user = options.dictionary('user');
  const selection = options.optionalDictionary('authenticatorSelection');
  const hints = options.optionalStrings('hints');
  const read: CreationOptions = {
    rp: { id: rp.optionalString('id'), name: rp.string('name') },
    user: { id: user.bytes('id'), name: user.string('name'), displayName: user.string('displayName') },
    challenge: options.bytes('challenge'),
    pubKeyCredParams: readParameters(options),
    timeout: options.optionalNumber('timeout'),
    excludeCredentials: readDescriptors(readList(options, 'excludeCredentials')),
    authenticatorAttachment: readAttachment(selection, hints),
    residentKey: readResidentKey(selection),
    userVerification: knownValue(selection?.optionalString('userVerification'), REQUIREMENT_LEVELS) ?? 'preferred',
    hints,
    attestation: knownValue(options.optionalString('attestation'), ATTESTATION_CONVEYANCES) ?? 'none',
    attestationFormats: readFormats(options),
    extensions: options.optionalDictionary('extensions'),
  };
  const { length } = read.user.id;
  if (options.forCall && (length < 1 || length > MAX_USER_HANDLE_BYTES)) {
    throw new TypeError(`Expected publicKey.user.id to have 1 to ${MAX_USER_HANDLE_BYTES} bytes; got ${length}.`);
  }
  return read;
}

/**
 * Reads a list of credential descriptors.
 *
 * @throws RangeError if the list is longer than Chromium accepts. This limit applies only in the mode `browser` and when reading for a
 * call.
 */
function readList(options: Members, name: string): readonly Members[] {
  const list = options.optionalDictionaries(name);
  if (options.mode === 'strict' || !options.forCall || list.length <= MAX_CREDENTIAL_DESCRIPTORS) return list;
  const detail = `got ${list.length}. Chromium accepts no more`;
  throw new RangeError(`Expected ${options.path}.${name} to have at most ${MAX_CREDENTIAL_DESCRIPTORS} entries; ${detail}.`);
}

/** Reads the authenticator attachment. Hints that contradict it take precedence (§5.8.7). */
function readAttachment(selection: Members | undefined, hints: readonly string[]): AuthenticatorAttachment | undefined {
  const attachment = knownValue(selection?.optionalString('authenticatorAttachment'), ATTACHMENTS);
  const known = knownHints(hints);
  return known.length === 0 || known.some((hint) => HINTS[hint] === attachment) ? attachment : undefined;
}

/** Reads the preferred attestation formats. Accepts a value of any type, because Chromium ignores this member. */
function readFormats(options: Members): readonly string[] {
  const value = options.json['attestationFormats'];
  if (options.mode === 'strict' || value === undefined || Array.isArray(value)) return options.optionalStrings('attestationFormats');
  options.remark('attestationFormats', `Expected an array of strings; got ${describeValue(value)}. Chromium ignores this member.`);
  return [];
}

/** Reads `residentKey`, or if it is absent, the older `requireResidentKey` of Level 1 (§5.4.4). */
function readResidentKey(selection: Members | undefined): RequirementLevel {
  const required = selection?.optionalBoolean('requireResidentKey') ?? false;
  return knownValue(selection?.optionalString('residentKey'), REQUIREMENT_LEVELS) ?? (required ? 'required' : 'discouraged');
}

/**
 * Reads the accepted kinds of credentials, ignoring those of an unknown type (§5.1.3 step 9).
 *
 * @throws DOMException `NotSupportedError` if the list was not empty but all its entries were ignored.
 */
function readParameters(options: Members): readonly CredentialParameters[] {
  const list = options.dictionaries('pubKeyCredParams');
  const parameters = list
    .map((item) => ({ type: item.string('type'), alg: item.integer('alg') }))
    .flatMap(({ type, alg }) => (type === 'public-key' ? [{ type, alg } as const] : []));
  if (parameters.length > 0 || !options.forCall) return parameters;
  if (list.length === 0) return DEFAULT_PARAMETERS;
  throw domException('NotSupportedError', 'Expected an entry of publicKey.pubKeyCredParams with type "public-key"; there is none.');
}

/** Request options (§5.5) with the standard's default values filled in. */
export interface RequestOptions {
  readonly challenge: Uint8Array;
  readonly timeout: number | undefined;
  readonly rpId: string | undefined;
  readonly allowCredentials: readonly CredentialDescriptor[];
  /** True if the allow list was not empty. Then only listed credentials may be used, even if every entry was ignored. */
  readonly limited: boolean;
  readonly userVerification: RequirementLevel;
  /** Hints, most preferred first, including unknown ones. */
  readonly hints: readonly string[];
  readonly extensions: Members | undefined;
}

/**
 * Reads request options from JSON (§5.1.10).
 *
 * @throws TypeError naming the member that is missing or of the wrong type.
 * @throws DOMException `EncodingError` for a string that is not base64url.
 * @throws RangeError for a list of credentials that is longer than Chromium accepts, except in the mode `strict`.
 */
export function readRequestOptions(json: unknown, reading: Reading): RequestOptions {
  const options = Members.of(json, 'publicKey', reading);
  const list = readList(options, 'allowCredentials');
  return {
    challenge: options.bytes('challenge'),
    timeout: options.optionalNumber('timeout'),
    rpId: options.optionalString('rpId'),
    allowCredentials: readDescriptors(list),
    limited: list.length > 0,
    userVerification: knownValue(options.optionalString('userVerification'), REQUIREMENT_LEVELS) ?? 'preferred',
    hints: options.optionalStrings('hints'),
    extensions: options.optionalDictionary('extensions'),
  };
}
