import { AsyncLocalStorage } from 'node:async_hooks';
import { isObject } from '../kernel/json-value.js';
import { MAX_COMPOUND_STATEMENTS } from '../kernel/limits.js';
import { findAlgorithm, KEY_TYPES } from '../webauthn/algorithms.js';
import { encodeAttestationObject } from '../webauthn/attestation-object.js';
import { encodeBase64url } from '../webauthn/base64url.js';
import { readCoseAlgorithm } from '../webauthn/cose-key.js';
import { CERTIFIED_FORMATS } from '../webauthn/enumerations.js';
import type { Ceremony } from './ports.js';
import {
  type AuthenticationBytes,
  decoded,
  type LibraryVerdict,
  type RegisteredCredential,
  type RegistrationContext,
} from './steps/context.js';
import { synchronousCrypto } from './synchronous-crypto.js';

type Library = typeof import('@simplewebauthn/server');

type ExpectedOfResponse = Pick<Ceremony, 'challenge' | 'origins' | 'topOrigins' | 'rpId' | 'userVerification'>;

let loading: Promise<Library> | undefined;

/**
 * Loads @simplewebauthn/server in advance, since it is slow to import and the first ceremony would have to wait. Only this file and the
 * demo shop import this library.
 */
export function loadLibrary(): Promise<Library> {
  loading ??= importLibrary().catch((cause: unknown) => {
    // The next ceremony tries again: the process may have had no file descriptor left for a moment.
    loading = undefined;
    throw cause;
  });
  return loading;
}

/**
 * Imports the verification library. Also changes four things that the library uses and that belong to the whole process, since the library
 * has no parameters for them.
 */
async function importLibrary(): Promise<Library> {
  const library = await import('@simplewebauthn/server');
  // 1. Its Crypto: see `synchronousCrypto`, which halves the processor time of a verification. The library takes another one only by
  // this hook of its tests, which it does not export.
  const hook = await import('../../node_modules/@simplewebauthn/server/esm/helpers/iso/isoCrypto/getWebCrypto.js');
  hook._getWebCryptoInternals.stubThisGlobalThisCrypto = () => synchronousCrypto;
  // The demo's shop may have called the library before: it then keeps the Crypto of that time.
  hook._getWebCryptoInternals.setCachedCrypto(undefined);
  // 2. Its trust roots, which it has for some formats and not for others. It gets none, so that a statement is verified the same way
  // whatever its format; trust is assessed in §7.1 step 24, by the roots of the policy.
  for (const identifier of CERTIFIED_FORMATS) {
    library.SettingsService.setRootCertificates({ identifier, certificates: [] });
  }
  // 3. Its `fetch`, for security, by such a hook too. For android-key it fetches the revocation lists named in the certificates of the
  // response, so that the registering client would choose addresses for this process to call. It treats a list as unavailable then.
  const { _fetchInternals } = await import('../../node_modules/@simplewebauthn/server/esm/helpers/fetch.js');
  _fetchInternals.stubThis = (url) =>
    insideLibrary.getStore() === true ? Promise.reject(new Error('Verification does not use the network.')) : globalThis.fetch(url);
  // 4. Warnings of Node, which would be printed by every server whose users have a passkey of ML-DSA.
  guardWarnings();
  return library;
}

/** Makes the expectations that the library needs for registrations and for authentications. */
function expectations({ challenge, origins, rpId, userVerification }: ExpectedOfResponse) {
  return {
    expectedChallenge: encodeBase64url(challenge),
    expectedOrigin: [...origins],
    expectedRPID: rpId,
    requireUserVerification: userVerification === 'required',
  };
}

/** Makes the members of a PublicKeyCredential other than its `response`. */
function envelope(credentialId: Uint8Array) {
  const id = encodeBase64url(credentialId);
  return { id, rawId: id, type: 'public-key', clientExtensionResults: {} } as const;
}

type RegistrationToVerify = Pick<RegistrationContext, 'id' | 'clientDataJSON' | 'attestationObject' | 'attestationObjectBytes'>;

/**
 * Verifies a registration with the library. The library does not support compound attestation, so each statement of a compound attestation
 * is also verified separately.
 */
export async function verifyRegistration(
  response: RegistrationToVerify,
  expected: ExpectedOfResponse & Pick<Ceremony, 'algorithms' | 'mediation'>,
): Promise<LibraryVerdict> {
  const { verifyRegistrationResponse } = await loadLibrary();
  const ask = (attestationObject: Uint8Array): Promise<LibraryVerdict> => {
    const verify = () =>
      verifyRegistrationResponse({
        ...expectations(expected),
        response: {
          ...envelope(response.id),
          response: {
            clientDataJSON: encodeBase64url(response.clientDataJSON),
            attestationObject: encodeBase64url(attestationObject),
          },
        },
        requireUserPresence: expected.mediation !== 'conditional',
        // Its default depends on the version of Node, and offers keys there that others cannot verify.
        supportedAlgorithmIDs: [...expected.algorithms],
      });
    const marked = hasCertificates(attestationObject) || expected.algorithms.some(isMlDsa);
    return verdict(marked ? () => runMarked(verify) : verify);
  };
  const whole = await ask(response.attestationObjectBytes);
  const { authData, statements = [] } = response.attestationObject.ok ? response.attestationObject.value : {};
  if (whole.verdict === 'verified' || authData === undefined || statements.length === 0) return whole;
  // A step refuses longer lists.
  const readable = statements.slice(0, MAX_COMPOUND_STATEMENTS);
  return { ...whole, parts: await Promise.all(readable.map((statement) => ask(encodeAttestationObject({ ...statement, authData })))) };
}

export async function verifyAuthentication(
  response: AuthenticationBytes,
  expected: ExpectedOfResponse,
  credential: Pick<RegisteredCredential, 'id' | 'publicKey'>,
): Promise<LibraryVerdict> {
  const { verifyAuthenticationResponse } = await loadLibrary();
  const verify = () =>
    verifyAuthenticationResponse({
      ...expectations(expected),
      response: {
        ...envelope(response.id),
        response: {
          clientDataJSON: encodeBase64url(response.clientDataJSON),
          authenticatorData: encodeBase64url(response.authenticatorData),
          signature: encodeBase64url(response.signature),
        },
      },
      expectedTopOrigin: [...expected.topOrigins],
      credential: {
        id: encodeBase64url(credential.id),
        publicKey: Uint8Array.from(credential.publicKey),
        // It looks at the counter before the signature, so that any client could report a regression. With -1 every counter
        // has grown; §7.2 step 22 is a step of ours, after the signature.
        counter: -1,
      },
    });
  const alg = decoded(() => readCoseAlgorithm(credential.publicKey));
  return verdict(alg.ok && isMlDsa(alg.value) ? () => runMarked(verify) : verify);
}

function isMlDsa(alg: number): boolean {
  return findAlgorithm(alg)?.kty === KEY_TYPES.AKP;
}

/**
 * Converts the result of the library to a verdict. The library returns false for a bad signature, and throws an error without a code in all
 * other cases.
 */
async function verdict(verify: () => Promise<{ readonly verified: boolean }>): Promise<LibraryVerdict> {
  const at = Date.now();
  try {
    const { verified } = await verify();
    return verified ? { verdict: 'verified' } : { verdict: 'rejected', reason: 'a signature that does not verify', cause: undefined, at };
  } catch (cause) {
    return { verdict: 'rejected', reason: firstLine(cause), cause, at };
  }
}

const insideLibrary = new AsyncLocalStorage<true>();
let marked = 0;

/**
 * Runs the library marked with an `AsyncLocalStorage`, which distinguishes its fetches and warnings from those of other code. While a
 * process uses an `AsyncLocalStorage`, Node 20 tracks every promise and is slower by a fifth. It is therefore used only while the library
 * may fetch or warn, and switched off afterwards.
 */
async function runMarked<T>(verify: () => Promise<T>): Promise<T> {
  marked += 1;
  try {
    return await insideLibrary.run(true, verify);
  } finally {
    marked -= 1;
    if (marked === 0) insideLibrary.disable();
  }
}

/** Tells whether an attestation object may contain certificates: whether its bytes contain the name `x5c` of their member. */
function hasCertificates(attestationObject: Uint8Array): boolean {
  return Buffer.from(attestationObject.buffer, attestationObject.byteOffset, attestationObject.byteLength).includes('x5c');
}

/**
 * Suppresses the warning of Node 24 and later that ML-DSA in Web Crypto is experimental, because the verification library uses ML-DSA. All
 * other warnings are still emitted.
 */
function guardWarnings(): void {
  process.emitWarning = new Proxy(process.emitWarning, {
    apply(emitWarning, self, warning: unknown[]) {
      const [, kind] = warning;
      const type = isObject(kind) ? kind['type'] : kind;
      if (insideLibrary.getStore() !== true || type !== 'ExperimentalWarning') Reflect.apply(emitWarning, self, warning);
    },
  });
}

/** Returns the first line of an error message, since the other lines of some of the library's messages are whole certificates. */
function firstLine(cause: unknown): string {
  const [line = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
  return line.slice(0, 160);
}
