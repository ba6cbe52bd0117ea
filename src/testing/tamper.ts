import { nameAttestation } from '../authenticator/attestation/attest-again.js';
import type { CredentialSource } from '../authenticator/credential-source.js';
import { type KeyPairSource, type RandomSource, systemKeyPairs, systemRandom } from '../authenticator/key-pair.js';
import type { AuthenticatorTraits } from '../authenticator/settings.js';
import type { CreationOptionsInput, RequestOptionsInput } from '../client/dictionaries.js';
import { PasskeyError } from '../errors.js';
import type { JsonObject } from '../kernel/json-value.js';
import { readBehaviour } from '../simulate/engine/behaviour.js';
import { mutateAuthentication, mutateRegistration } from '../simulate/mutations/mutate.js';
import { findMutation, listMutations, type Mutation } from '../simulate/mutations/mutation.js';
import { readResponseJson } from '../simulate/mutations/tamper-response.js';
import { parseAaguid } from '../webauthn/aaguid.js';
import { decodeAttestationObject } from '../webauthn/attestation-object.js';
import { decodeBase64url, encodeBase64url } from '../webauthn/base64url.js';
import { type ClientData, decodeClientData } from '../webauthn/client-data.js';
import { ATTACHMENTS, CEREMONIES, type CeremonyKind, knownValue } from '../webauthn/enumerations.js';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '../webauthn/json.js';
import { MIN_CREDENTIAL_ID_BYTES } from '../webauthn/limits.js';
import { knownCeremony, knownCredential, type MadeCeremony } from './made-ceremonies.js';
import { refuseUnknown } from './refuse-unknown.js';

/** A response in JSON (RegistrationResponseJSON or AuthenticationResponseJSON), as any library types it. */
export interface TamperableResponse {
  /** Credential ID in base64url. */
  readonly id: string;
  readonly response: { readonly clientDataJSON: string };
}

export interface TamperOptions {
  /** Credential with its private key. Required if the response was not made in this process. */
  readonly credential?: CredentialSource;
  /**
   * Options to which the response was made. Needed if the response was not made in this process. Default: options that require nothing in
   * particular.
   */
  readonly options?: CreationOptionsInput | RequestOptionsInput;
  /** A top-level origin that the relying party accepts, for mutations that embed the page in a frame. */
  readonly topOrigin?: string;
}

/**
 * Makes a copy of a response with one change, which a relying party must refuse (or, for some mutations, must accept). The copy is signed
 * again, so that nothing else is wrong with it. `mutations()` lists the changes. Private keys of credentials made in this process are found
 * by credential ID.
 *
 * @param response an honest RegistrationResponseJSON or AuthenticationResponseJSON; not modified
 * @param id id of the mutation: complete (`login.signature-bit`), or only the part after the first dot (`signature-bit`)
 * @throws PasskeyError `usage` for an unknown id (the message names similar ones), for an unknown credential, and for options of the other
 * ceremony; `not_applicable` for a mutation that does not fit the response; `validation_failed` for a value that is not a response;
 * TypeError for an unknown member of `given`.
 */
export async function tamper<T extends TamperableResponse>(response: T, id: string, given: TamperOptions = {}): Promise<T> {
  refuseUnknown('tamper()', given, { credential: true, options: true, topOrigin: true });
  const read = readResponse(response);
  findMutation(id, read.kind);
  const credential = given.credential ?? (await knownCredential(read.response.id));
  if (credential === undefined) throw unknownCredential(read.response.id);
  const asked: Asked = { id, credential, given };
  const sent = await (read.kind === 'registration' ? ofRegistration(read, asked) : ofAuthentication(read, asked));
  return sent as JsonObject & T;
}

/**
 * Lists the mutations in the catalogue of `passkey simulate`: all of them, or those of one ceremony. Each has an ID, a title, the step of
 * the standard that it tests, the reason why it matters, and a correct relying party's response.
 *
 * @throws PasskeyError `usage` for a value that is not a ceremony, because an empty list would test nothing.
 */
export function mutations(ceremony?: CeremonyKind): readonly Mutation[] {
  if (ceremony !== undefined && !CEREMONIES.includes(ceremony)) {
    throw new PasskeyError('usage', `Expected the ceremony to be one of ${CEREMONIES.join(', ')}; got ${JSON.stringify(ceremony)}.`);
  }
  return listMutations(ceremony);
}

interface Read {
  readonly clientData: ClientData;
  readonly made: MadeCeremony | undefined;
}

type ReadRegistration = Read & { readonly kind: 'registration'; readonly response: RegistrationResponseJSON };
type ReadAuthentication = Read & { readonly kind: 'authentication'; readonly response: AuthenticationResponseJSON };

/**
 * Parses and checks a response.
 *
 * @throws PasskeyError `validation_failed`
 */
function readResponse(response: TamperableResponse): ReadRegistration | ReadAuthentication {
  const read = readResponseJson(response);
  const clientData = decodeClientData(decodeBase64url(read.response.response.clientDataJSON));
  return { ...read, clientData, made: knownCeremony(read.response.id, clientData.challenge) };
}

interface Asked {
  /** ID of the mutation. */
  readonly id: string;
  readonly credential: CredentialSource;
  readonly given: TamperOptions;
}

async function ofRegistration(read: ReadRegistration, { id, credential, given }: Asked): Promise<JsonObject> {
  const { response: honest, clientData, made } = read;
  const answered = given.options ?? made?.options ?? makeCreationOptions(clientData, credential);
  if (!isCreation(answered)) throw otherOptions('creation options, which a registration answers', 'request options');
  // Where the response must be made anew, it is that of the same credential, unless the mutation needs another one.
  const newPrivateKey: KeyPairSource = (algorithm) =>
    algorithm.id === credential.algorithm ? credential.privateKey : systemKeyPairs(algorithm);
  const newCredentialId: RandomSource = (length) => (length === credential.id.length ? credential.id : systemRandom(length));
  const authenticator = readTraits(honest, credential);
  const mutated = await mutateRegistration({
    id,
    options: answered,
    ...findPlace(read, given),
    authenticator,
    newPrivateKey,
    newCredentialId,
    honest,
    credential,
  });
  return mutated.response;
}

async function ofAuthentication(read: ReadAuthentication, { id, credential, given }: Asked): Promise<JsonObject> {
  const { response: honest, clientData, made } = read;
  const options = given.options ?? made?.options ?? makeRequestOptions(honest, clientData, credential);
  if (isCreation(options)) throw otherOptions('request options, which a login answers', 'creation options');
  return (await mutateAuthentication({ id, options, ...findPlace(read, given), credential, honest })).response;
}

function isCreation(options: CreationOptionsInput | RequestOptionsInput): options is CreationOptionsInput {
  return 'pubKeyCredParams' in options;
}

function otherOptions(expected: string, received: string): PasskeyError {
  return new PasskeyError('usage', `Expected ${expected}; got ${received}. Pass the options that the response answers, or leave them out.`);
}

function findPlace({ clientData, made }: Read, given: TamperOptions) {
  const topOrigin = given.topOrigin ?? made?.topOrigin ?? clientData.topOrigin;
  return { origin: clientData.origin, ...(topOrigin !== undefined && { topOrigin }) };
}

/** Finds traits for a new authenticator, so that it responds like the one that made the given response. */
function readTraits(honest: RegistrationResponseJSON, { algorithm, discoverable, id }: CredentialSource): AuthenticatorTraits {
  const { attested, attachment, backupEligible, backupState, signCount } = readBehaviour({ ...honest });
  const attestation = nameAttestation(decodeAttestationObject(decodeBase64url(honest.response.attestationObject)));
  const known = knownValue(attachment, ATTACHMENTS);
  return {
    algorithms: [algorithm],
    alwaysDiscoverable: discoverable,
    backupEligible,
    backupState,
    signCount: signCount > 0 ? { kind: 'per-credential', start: signCount } : { kind: 'zero' },
    ...(id.length >= MIN_CREDENTIAL_ID_BYTES && { credentialIdLength: id.length }),
    ...(attestation !== undefined && { attestation }),
    ...(known !== undefined && { attachment: known }),
    ...(attested !== undefined && { aaguid: parseAaguid(attested.aaguid), transports: attested.transports }),
  };
}

function makeCreationOptions({ challenge }: ClientData, { rpId, rpName, user, algorithm }: CredentialSource): CreationOptionsInput {
  return {
    rp: { id: rpId, name: rpName },
    user: { id: encodeBase64url(user.id), name: user.name, displayName: user.displayName },
    challenge,
    pubKeyCredParams: [{ type: 'public-key', alg: algorithm }],
  };
}

/** Makes request options that the response could have answered. They name the credential if the response has no user handle. */
function makeRequestOptions(
  { id, response }: AuthenticationResponseJSON,
  { challenge }: ClientData,
  { rpId }: CredentialSource,
): RequestOptionsInput {
  return { challenge, rpId, ...(typeof response.userHandle !== 'string' && { allowCredentials: [{ type: 'public-key', id }] }) };
}

function unknownCredential(id: string): PasskeyError {
  return new PasskeyError(
    'usage',
    `Expected a credential whose private key is known here, got ${JSON.stringify(id.slice(0, 12))}…, which was not made in this process. Make the response with createCeremonies(), or pass its credential with the private key: tamper(response, id, { credential }).`,
  );
}
