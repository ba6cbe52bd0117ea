import { failure } from '../failure.js';
import type { AuthenticatorFailure, GetAssertionRequest, MakeCredentialRequest } from '../ports.js';
import { BYTES, describe, type Expectation, FLAG, firstWrong, isObject, LIST, OBJECT, optional, TEXT, TEXTS } from './expect.js';

const HASH_LENGTH = 32;

const DESCRIPTORS: Expectation = {
  expected: 'an array of credential descriptors { type, id }',
  holds: (value) => Array.isArray(value) && value.every((item) => isObject(item) && Reflect.get(item, 'id') instanceof Uint8Array),
};

const COMMON = {
  clientDataHash: BYTES,
  requireUserPresence: FLAG,
  requireUserVerification: FLAG,
  extensions: OBJECT,
};

const MAKE_CREDENTIAL: Readonly<Record<Exclude<keyof MakeCredentialRequest, 'signal'>, Expectation>> = {
  ...COMMON,
  rp: OBJECT,
  user: OBJECT,
  pubKeyCredParams: LIST,
  excludeCredentials: DESCRIPTORS,
  requireResidentKey: FLAG,
  enterpriseAttestationPossible: FLAG,
  attestationFormats: TEXTS,
};

const GET_ASSERTION: Readonly<Record<Exclude<keyof GetAssertionRequest, 'signal'>, Expectation>> = {
  ...COMMON,
  rpId: TEXT,
  allowCredentials: optional(DESCRIPTORS),
};

/** §6.3.2 step 1: what cannot be meant is refused before anything is asked. */
export function wrongMakeCredential(request: MakeCredentialRequest): AuthenticatorFailure | undefined {
  return refused(
    wrongMembers(request, MAKE_CREDENTIAL) ??
      firstWrong(request.rp, 'rp.*', { id: TEXT, name: TEXT }) ??
      firstWrong(request.user, 'user.*', { id: BYTES, name: TEXT, displayName: TEXT }) ??
      wrongValues(request),
  );
}

/** §6.3.3 step 1. */
export function wrongGetAssertion(request: GetAssertionRequest): AuthenticatorFailure | undefined {
  return refused(wrongMembers(request, GET_ASSERTION) ?? wrongHash(request));
}

function refused(message: string | undefined): AuthenticatorFailure | undefined {
  return message === undefined ? undefined : failure('CTAP1_ERR_INVALID_PARAMETER', message);
}

function wrongMembers(request: object, expectations: Readonly<Record<string, Expectation>>): string | undefined {
  return isObject(request) ? firstWrong(request, '*', expectations) : `Expected a request to be an object; got ${describe(request)}.`;
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
