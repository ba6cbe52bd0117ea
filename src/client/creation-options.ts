import type { CredentialDescriptor, CredentialParameters } from '../authenticator/ports.js';
import { domException } from './dom-exception.js';
import { knownValue, type Members, membersOf, readDescriptors } from './members.js';
import { REQUIREMENTS, type Requirement } from './request-options.js';

/** PublicKeyCredentialCreationOptions (§5.4) with the defaults that the standard fills in. */
export interface CreationOptions {
  readonly rp: { readonly id: string | undefined; readonly name: string };
  readonly user: { readonly id: Uint8Array; readonly name: string; readonly displayName: string };
  readonly challenge: Uint8Array;
  readonly pubKeyCredParams: readonly CredentialParameters[];
  readonly timeout: number | undefined;
  readonly excludeCredentials: readonly CredentialDescriptor[];
  readonly authenticatorAttachment: 'platform' | 'cross-platform' | undefined;
  readonly residentKey: Requirement;
  readonly userVerification: Requirement;
  /** For browsers with a choice among authenticators; here there is one. */
  readonly hints: readonly string[];
  readonly attestation: 'none' | 'indirect' | 'direct' | 'enterprise';
  readonly attestationFormats: readonly string[];
  readonly extensions: Members | undefined;
}

const ATTACHMENTS = ['platform', 'cross-platform'] as const;
const CONVEYANCES = ['none', 'indirect', 'direct', 'enterprise'] as const;
/** §5.1.3 step 9: what an empty `pubKeyCredParams` stands for. */
const DEFAULT_PARAMETERS: readonly CredentialParameters[] = [
  { type: 'public-key', alg: -7 },
  { type: 'public-key', alg: -257 },
];

/**
 * Reads the JSON of creation options (§5.1.8).
 *
 * @throws TypeError naming the member that is missing or of the wrong type, or when `user.id` has not 1 to 64 bytes.
 * @throws DOMException `EncodingError` for text that is not base64url.
 */
export function readCreationOptions(json: unknown): CreationOptions {
  const options = membersOf(json, 'publicKey');
  const rp = options.dictionary('rp');
  const user = options.dictionary('user');
  const selection = options.optionalDictionary('authenticatorSelection');
  const read: CreationOptions = {
    rp: { id: rp.optionalString('id'), name: rp.string('name') },
    user: { id: user.bytes('id'), name: user.string('name'), displayName: user.string('displayName') },
    challenge: options.bytes('challenge'),
    pubKeyCredParams: readParameters(options.dictionaries('pubKeyCredParams')),
    timeout: options.optionalNumber('timeout'),
    excludeCredentials: readDescriptors(options.optionalDictionaries('excludeCredentials')),
    authenticatorAttachment: knownValue(selection?.optionalString('authenticatorAttachment'), ATTACHMENTS),
    residentKey: readResidentKey(selection),
    userVerification: knownValue(selection?.optionalString('userVerification'), REQUIREMENTS) ?? 'preferred',
    hints: options.optionalStrings('hints'),
    attestation: knownValue(options.optionalString('attestation'), CONVEYANCES) ?? 'none',
    attestationFormats: options.optionalStrings('attestationFormats'),
    extensions: options.optionalDictionary('extensions'),
  };
  const { length } = read.user.id;
  if (length < 1 || length > 64) throw new TypeError(`Expected publicKey.user.id to have 1 to 64 bytes; got ${length}.`);
  return read;
}

/** `residentKey` rules; without it, `requireResidentKey` of Level 1 does (§5.4.4). */
function readResidentKey(selection: Members | undefined): Requirement {
  const required = selection?.optionalBoolean('requireResidentKey') ?? false;
  return knownValue(selection?.optionalString('residentKey'), REQUIREMENTS) ?? (required ? 'required' : 'discouraged');
}

/**
 * §5.1.3 step 9. Parameters of a type that is not known are ignored.
 *
 * @throws DOMException `NotSupportedError` when none is left of a list that was not empty.
 */
function readParameters(list: readonly Members[]): readonly CredentialParameters[] {
  const parameters = list
    .map((item) => ({ type: item.string('type'), alg: item.integer('alg') }))
    .flatMap(({ type, alg }) => (type === 'public-key' ? [{ type, alg } as const] : []));
  if (parameters.length > 0) return parameters;
  if (list.length === 0) return DEFAULT_PARAMETERS;
  throw domException('NotSupportedError', 'Expected an entry of publicKey.pubKeyCredParams with type "public-key"; there is none.');
}
