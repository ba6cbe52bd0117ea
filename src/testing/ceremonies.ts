import { signingAlgorithm } from '../authenticator/algorithms.js';
import type { SoftwareAuthenticator } from '../authenticator/authenticator.js';
import type { CredentialSource } from '../authenticator/credential-source.js';
import { type RandomSource, systemRandom } from '../authenticator/key-pair.js';
import { seededBy } from '../authenticator/seeded.js';
import { openSigningKey } from '../authenticator/signing-key.js';
import { createClient } from '../client/client.js';
import type { Assertion, CreatedCredential, CreationOptionsInput, RequestOptionsInput } from '../client/dictionaries.js';
import { isObject } from '../kernel/json-value.js';
import { encodeBase64url } from '../webauthn/base64url.js';
import { encodeCoseKey } from '../webauthn/cose-key.js';
import { type AuthenticatorTransport, knownValue, TRANSPORTS } from '../webauthn/enumerations.js';
import { CREATION_MEMBERS, REQUEST_MEMBERS } from '../webauthn/json.js';
import { CHALLENGE_BYTES } from '../webauthn/limits.js';
import { SOFTWARE_OPTIONS, type SoftwareOptions, softwareAuthenticator } from './credentials/software.js';
import { remember } from './made-ceremonies.js';
import { type OptionNames, refuseUnknown } from './refuse-unknown.js';

export interface CeremoniesOptions extends SoftwareOptions {
  /** Origin of the page, e.g. `http://localhost:3000`; default: `https://example.com`. */
  readonly origin?: string;
  /** Origin of the top-level page, if the page runs in a cross-origin iframe. */
  readonly topOrigin?: string;
  /**
   * Relying party in the default options, which are used if you pass none of your server's. `id` and `name` default to the host of
   * `origin`.
   */
  readonly rp?: { readonly id?: string; readonly name?: string };
  /** Makes every byte repeatable from run to run: keys, IDs, challenges and signatures. For tests only. */
  readonly seed?: string | Uint8Array;
}

/** Values with which a relying party compares a response. */
export interface Expected {
  /** Challenge in base64url. */
  readonly challenge: string;
  readonly origin: string;
  readonly rpId: string;
}

export interface Registration {
  /** Options to which the response belongs: those that you passed, or the default options made for you. */
  readonly options: CreationOptionsInput;
  /**
   * Response as a page would send it (RegistrationResponseJSON). For types that require its public key, use `withPublicKey()` of
   * `passkey-cli/client`.
   */
  readonly response: CreatedCredential;
  readonly expected: Expected;
  /** Credential with its private key, for tests that sign something themselves. */
  readonly credential: CredentialSource;
}

/** A relying party's record of a credential, in the form that SimpleWebAuthn expects. */
export interface StoredCredential {
  /** Credential ID in base64url. */
  readonly id: string;
  /** Public key as COSE_Key bytes. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  /** Sign count stored before the login. */
  readonly counter: number;
  readonly transports: AuthenticatorTransport[];
}

export interface Authentication {
  /** Options to which the response belongs: those that you passed, or the default options made for you. */
  readonly options: RequestOptionsInput;
  /** Response as a page would send it (AuthenticationResponseJSON). */
  readonly response: Assertion;
  readonly expected: Expected;
  readonly stored: StoredCredential;
  /** Credential with its private key, for tests that sign something themselves. */
  readonly credential: CredentialSource;
}

/** A simulated page in a browser, with an authenticator that keeps its credentials. */
export interface Ceremonies {
  readonly origin: string;
  readonly authenticator: SoftwareAuthenticator;
  /**
   * Makes a valid registration. If `options` contain a challenge, they count as your server's, and the response is made to them unchanged.
   * Otherwise complete options are made from the given members, for a new user each time.
   *
   * @throws DOMException if a browser would throw it; TypeError for options that a browser cannot read.
   */
  registration(options?: Partial<CreationOptionsInput>): Promise<Registration>;
  /**
   * Makes a valid login. If `options` contain a challenge, they count as your server's, and the response is made to them unchanged.
   * Otherwise complete options are made from the given members. They name the latest credential, or the latest one for their `rpId`. If no
   * credential exists yet, one is registered first.
   *
   * @throws DOMException if a browser would throw it; TypeError for options that a browser cannot read.
   */
  authentication(options?: Partial<RequestOptionsInput>): Promise<Authentication>;
}

const CEREMONIES_OPTIONS: OptionNames<CeremoniesOptions> = { ...SOFTWARE_OPTIONS, origin: true, topOrigin: true, rp: true, seed: true };

/**
 * Time that the clock shows if a seed is given, in milliseconds since the epoch. It is fixed because some attestation statements contain
 * the time.
 */
const SEEDED_NOW = Date.UTC(2026, 0, 1);
const USER_ID_BYTES = 16;
const ALGORITHMS = [-7, -8, -257];

/**
 * Creates a simulated page that registers and logs in without a real browser.
 *
 * @throws TypeError for an invalid origin, an unknown option or persona, and traits that no authenticator can have.
 */
export function createCeremonies(options: CeremoniesOptions = {}): Ceremonies {
  refuseUnknown('createCeremonies()', options, CEREMONIES_OPTIONS);
  refuseUnknown('rp of createCeremonies()', options.rp ?? {}, { id: true, name: true });
  const { origin = 'https://example.com', topOrigin, rp = {}, seed } = options;
  const random: RandomSource = seed === undefined ? systemRandom : seededBy(seed).stream('ceremonies');
  const authenticator = softwareAuthenticator(
    seed === undefined ? options : { ...options, traits: { seed, now: () => SEEDED_NOW, ...options.traits } },
  );
  const client = createClient({ authenticator, origin, ...(topOrigin !== undefined && { topOrigin }) });
  const ownRpId = rp.id ?? new URL(origin).hostname;
  const newChallenge = () => encodeBase64url(random(CHALLENGE_BYTES));
  let users = 0;
  /** Latest registration for each RP ID, the newest last. */
  const registered = new Map<string, Registration>();

  function creationOptions(given: Partial<CreationOptionsInput>): CreationOptionsInput {
    if (isWhole(given)) return given;
    users += 1;
    const name = `user${users}@${ownRpId}`;
    return {
      rp: { id: ownRpId, name: rp.name ?? ownRpId },
      user: { id: encodeBase64url(random(USER_ID_BYTES)), name, displayName: `User ${users}` },
      challenge: newChallenge(),
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
      ...given,
    };
  }

  async function requestOptions(given: Partial<RequestOptionsInput>): Promise<RequestOptionsInput> {
    if (given.challenge !== undefined) return { ...given, challenge: given.challenge };
    const rpId = given.rpId ?? [...registered.keys()].at(-1) ?? ownRpId;
    const { response } = registered.get(rpId) ?? (await registration({ rp: { id: rpId, name: rp.name ?? rpId } }));
    const allowCredentials = [{ type: 'public-key', id: response.id, transports: response.response.transports }];
    return { challenge: newChallenge(), rpId, allowCredentials, userVerification: 'preferred', ...given };
  }

  async function registration(given: Partial<CreationOptionsInput> = {}): Promise<Registration> {
    checkOptions(given, CREATION_MEMBERS);
    const publicKey = creationOptions(given);
    const response = await client.create({ publicKey });
    const expected = { challenge: publicKey.challenge, origin, rpId: publicKey.rp.id ?? new URL(origin).hostname };
    const credential = held(await remember({ response, options: publicKey, origin, topOrigin }, authenticator));
    const made = { options: publicKey, response, expected, credential };
    registered.delete(expected.rpId);
    registered.set(expected.rpId, made);
    return made;
  }

  async function authentication(given: Partial<RequestOptionsInput> = {}): Promise<Authentication> {
    checkOptions(given, REQUEST_MEMBERS);
    const publicKey = await requestOptions(given);
    const rpId = publicKey.rpId ?? new URL(origin).hostname;
    const before = new Map((await authenticator.store.list(rpId)).map(({ id, signCount }) => [encodeBase64url(id), signCount]));
    const response = await client.get({ publicKey });
    const credential = held(await remember({ response, options: publicKey, origin, topOrigin }, authenticator));
    const stored = {
      id: response.id,
      publicKey: await computePublicKey(credential),
      counter: before.get(response.id) ?? 0,
      transports: authenticator.info.transports.flatMap((transport) => knownValue(transport, TRANSPORTS) ?? []),
    };
    return { options: publicKey, response, expected: { challenge: publicKey.challenge, origin, rpId }, stored, credential };
  }

  return { origin, authenticator, registration, authentication };
}

function held(credential: CredentialSource | undefined): CredentialSource {
  if (credential === undefined) {
    throw new TypeError('Expected the authenticator to hold the credential that has just answered; it does not.');
  }
  return credential;
}

/**
 * Checks the member names of options that are not complete. Without this check, JSON from a server that is not options, or that wraps them,
 * would be silently ignored.
 *
 * @throws TypeError
 */
function checkOptions(given: unknown, members: readonly string[]): void {
  const advice = 'Pass the options that your server sends to the browser, or members for options that are made here.';
  if (!isObject(given)) throw new TypeError(`Expected options as an object; got ${given === null ? 'null' : typeof given}. ${advice}`);
  const unknown = given['challenge'] === undefined ? Object.keys(given).find((name) => !members.includes(name)) : undefined;
  if (unknown === undefined) return;
  const instead = isObject(given['publicKey']) ? 'Pass the value of publicKey.' : advice;
  throw new TypeError(`Expected options with a challenge, or only ${members.join(', ')}; got ${JSON.stringify(unknown)}. ${instead}`);
}

/** Checks whether options are complete. Complete options come from a relying party, so no member may be added to them. */
function isWhole(options: Partial<CreationOptionsInput>): options is CreationOptionsInput {
  return options.challenge !== undefined;
}

async function computePublicKey({ algorithm, privateKey }: CredentialSource): Promise<Uint8Array<ArrayBuffer>> {
  const { coseKey } = await openSigningKey(signingAlgorithm(algorithm), privateKey);
  return new Uint8Array(encodeCoseKey(coseKey));
}
