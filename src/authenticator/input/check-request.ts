import { failure } from '../failure.js';
import type { AuthenticatorExtensionInputs, AuthenticatorFailure, GetAssertionRequest, MakeCredentialRequest } from '../ports.js';
import { BYTES, describe, type Expectation, FLAG, firstWrong, isListOf, isObject, OBJECT, oneOf, optional, TEXT, TEXTS } from './expect.js';

const HASH_LENGTH = 32;

const DESCRIPTORS: Expectation = {
  expected: 'an array of credential descriptors { type, id }',
  holds: (value) => isListOf(value, (item) => isObject(item) && BYTES.holds(Reflect.get(item, 'id'))),
};

const PARAMETERS: Expectation = {
  expected: 'an array of credential parameters { type, alg }',
  holds: (value) =>
    isListOf(value, (item) => isObject(item) && TEXT.holds(Reflect.get(item, 'type')) && Number.isInteger(Reflect.get(item, 'alg'))),
};

const COMMON = {
  clientDataHash: BYTES,
  requireUserPresence: FLAG,
  requireUserVerification: FLAG,
  extensions: OBJECT,
  signal: optional({
    expected: 'an AbortSignal',
    holds: (value) => isObject(value) && typeof Reflect.get(value, 'aborted') === 'boolean',
  }),
};

const MAKE_CREDENTIAL: Readonly<Record<keyof MakeCredentialRequest, Expectation>> = {
  ...COMMON,
  rp: OBJECT,
  user: OBJECT,
  pubKeyCredParams: PARAMETERS,
  excludeCredentials: DESCRIPTORS,
  requireResidentKey: FLAG,
  enterpriseAttestationPossible: FLAG,
  attestationFormats: TEXTS,
};

const GET_ASSERTION: Readonly<Record<keyof GetAssertionRequest, Expectation>> = {
  ...COMMON,
  rpId: TEXT,
  allowCredentials: optional(DESCRIPTORS),
};

const SALTS: Expectation = {
  expected: 'PRF inputs { first, second } as Uint8Array',
  holds: (value) => isObject(value) && BYTES.holds(Reflect.get(value, 'first')) && optional(BYTES).holds(Reflect.get(value, 'second')),
};

const EXTENSION_INPUTS: Readonly<Record<keyof AuthenticatorExtensionInputs, Expectation>> = {
  credProtect: optional({ expected: '1, 2 or 3', holds: (value) => value === 1 || value === 2 || value === 3 }),
  prf: optional(OBJECT),
  largeBlob: optional(OBJECT),
};

const PRF: Readonly<Record<keyof NonNullable<AuthenticatorExtensionInputs['prf']>, Expectation>> = {
  eval: optional(SALTS),
  evalByCredential: optional({
    expected: `an object of ${SALTS.expected} by credential ID`,
    holds: (value) => isObject(value) && Object.values(value).every(SALTS.holds),
  }),
};

const LARGE_BLOB: Readonly<Record<keyof NonNullable<AuthenticatorExtensionInputs['largeBlob']>, Expectation>> = {
  support: optional(oneOf('required', 'preferred')),
  read: optional(FLAG),
  write: optional(BYTES),
};

/** §6.3.2 step 1: what cannot be meant is refused before anything is asked. */
export function wrongMakeCredential(request: MakeCredentialRequest): AuthenticatorFailure | undefined {
  return refused(
    wrongMembers(request, MAKE_CREDENTIAL) ??
      firstWrong(request.rp, 'rp.*', { id: TEXT, name: TEXT }) ??
      firstWrong(request.user, 'user.*', { id: BYTES, name: TEXT, displayName: TEXT }) ??
      wrongExtensions(request.extensions) ??
      wrongValues(request),
  );
}

/** §6.3.3 step 1. */
export function wrongGetAssertion(request: GetAssertionRequest): AuthenticatorFailure | undefined {
  return refused(wrongMembers(request, GET_ASSERTION) ?? wrongExtensions(request.extensions) ?? wrongHash(request));
}

function refused(message: string | undefined): AuthenticatorFailure | undefined {
  return message === undefined ? undefined : failure('CTAP1_ERR_INVALID_PARAMETER', message);
}

function wrongMembers(request: object, expectations: Readonly<Record<string, Expectation>>): string | undefined {
  return isObject(request) ? firstWrong(request, '*', expectations) : `Expected a request to be an object; got ${describe(request)}.`;
}

function wrongExtensions(extensions: AuthenticatorExtensionInputs): string | undefined {
  return (
    firstWrong(extensions, 'extensions.*', EXTENSION_INPUTS) ??
    (extensions.prf && firstWrong(extensions.prf, 'extensions.prf.*', PRF)) ??
    (extensions.largeBlob && firstWrong(extensions.largeBlob, 'extensions.largeBlob.*', LARGE_BLOB))
  );
}

function wrongValues({ clientDataHash, rp, user }: MakeCredentialRequest): string | undefined {
  const wrong = wrongHash({ clientDataHash });
  if (wrong !== undefined) return wrong;
  if (rp.id === '') return 'Expected an RP ID; got an empty string.';
  const { length } = user.id;
  return length < 1 || length > 64 ? `Expected a user handle of 1 to 64 bytes; got ${length}.` : undefined;
}

function wrongHash({ clientDataHash: { length } }: Pick<MakeCredentialRequest, 'clientDataHash'>): string | undefined {
  return length === HASH_LENGTH ? undefined : `Expected a client data hash of ${HASH_LENGTH} bytes; got ${length}.`;
}
