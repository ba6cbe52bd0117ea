import { type SigningAlgorithm, signingAlgorithm } from '../authenticator/algorithms.js';
import { createAttestationAuthority } from '../authenticator/attestation/authority.js';
import { ATTESTATION_NAMES, type AttestationName } from '../authenticator/attestation/named-formats.js';
import { createAuthenticator } from '../authenticator/authenticator.js';
import type { CredentialSource } from '../authenticator/credential-source.js';
import { seededBy } from '../authenticator/seeded.js';
import { createClient } from '../client/client.js';
import type { Assertion, CreatedCredential, CreationOptionsInput, RequestOptionsInput } from '../client/dictionaries.js';
import { PasskeyError } from '../errors.js';
import { readCredential } from '../explain/annotate/read-credential.js';
import { NOTHING_EXPECTED } from '../explain/expectations.js';
import { importCeremonies } from '../explain/recording/import.js';
import { judgeFixture } from '../explain/recording/judge-fixture.js';
import type { CredentialPart, OptionsPart } from '../explain/recording/parts.js';
import type { Fixture } from '../fixture/format.js';
import type { RecordingTool } from '../fixture/recorded-ceremony.js';
import { encodeUtf8 } from '../kernel/bytes.js';
import type { JsonObject } from '../kernel/json-value.js';
import { KEY_TYPES } from '../webauthn/algorithms.js';
import { encodeBase64url } from '../webauthn/base64url.js';
import { type CoseKey, encodeCoseKey } from '../webauthn/cose-key.js';
import type { CeremonyKind } from '../webauthn/enumerations.js';
import { CHALLENGE_BYTES } from '../webauthn/limits.js';
import { encodeSubjectPublicKeyInfo, uncompressedPoint } from '../webauthn/subject-public-key-info.js';
import { mutateAuthentication, mutateRegistration } from './mutations/mutate.js';
import { findMutation, findMutationCase, listMutations, type Mutation } from './mutations/mutation.js';
import { VECTOR_FAULTS, type VectorFault, withClientData } from './vector-faults.js';

const RP_ID = 'example.com';
const ORIGIN = `https://${RP_ID}`;
/** Creation time of every vector, in milliseconds since the epoch; fixed so that the vectors never change. */
const AT = Date.UTC(2026, 0, 1);
/** Algorithms that the options always offer in addition to the algorithm of a vector, because some mutations pretend to use one of them. */
const OFFERED = [-7, -257];

/** Algorithm of the vectors that do not test an algorithm. */
const ES256 = signingAlgorithm(-7);

/** Matches the IDs of registration mutations that test public keys. */
const ABOUT_KEYS = /^register\.(?:public-key|rsa|eddsa-key|ml-dsa-\d+-key)-/;

/** The registration and the login of one passkey, without mutations. */
interface Honest {
  readonly creation: CreationOptionsInput;
  readonly registration: CreatedCredential;
  readonly request: RequestOptionsInput;
  readonly login: Assertion;
  readonly credential: CredentialSource;
}

/**
 * Makes the test vectors of an algorithm: a valid registration, a valid login, and copies of both with every mutation in the catalogue that
 * tests the key or signature. The bytes are the same on every run, platform and version of Node.
 *
 * @throws TypeError if the steps of the standard and the catalogue contradict each other.
 */
export async function makeVectors(algorithm: SigningAlgorithm, tool: RecordingTool): Promise<Fixture[]> {
  const seed = `passkey vectors ${algorithm.name}`;
  const { openKey } = seededBy(seed);
  const honest = await perform(algorithm, seed);
  const { creation, registration, request, login, credential } = honest;
  const publicKey = describeKey(algorithm, (await openKey(algorithm, credential.privateKey)).coseKey);
  const common = { origin: ORIGIN, credential };
  const vectors: Fixture[] = [];
  const add = async (kind: CeremonyKind, response: JsonObject, mutation?: Mutation) => {
    const fixture = await judge(honest, { kind, response, tool });
    vectors.push(describeVector({ ...fixture, publicKey }, algorithm, mutation));
  };
  await add('registration', { ...registration });
  for (const mutation of listFaults('registration', algorithm)) {
    const asked = { ...common, id: mutation.id, options: creation, honest: registration };
    const mutated = await unlessNotApplicable(mutateRegistration(asked));
    if (mutated) await add('registration', mutated.response, mutation);
  }
  await add('authentication', { ...login });
  for (const mutation of listFaults('authentication', algorithm)) {
    const asked = { ...common, id: mutation.id, options: request, honest: login, openKey };
    const mutated = await unlessNotApplicable(mutateAuthentication(asked));
    if (mutated) await add('authentication', mutated.response, mutation);
  }
  return vectors;
}

/**
 * Makes the vectors of every attestation format: a valid registration with ES256, and a copy of it whose client data is not the data that
 * was signed.
 */
export async function makeFormatVectors(tool: RecordingTool): Promise<Fixture[]> {
  const vectors: Fixture[] = [];
  for (const attestation of ATTESTATION_NAMES) {
    const good = await makeFormatVector(attestation, tool);
    vectors.push(good);
    // Without attestation nothing of a registration is signed.
    if (attestation === 'none') continue;
    const change = 'the client data contains a member that was not signed';
    const changed = describeChange(withClientData(good, { further: true }), { from: good, topic: attestation, change });
    vectors.push(await expectOutcome({ ...changed, name: `${good.name}-changed` }, 'attestation_malformed'));
  }
  return vectors;
}

async function makeFormatVector(attestation: AttestationName, tool: RecordingTool): Promise<Fixture> {
  const honest = await perform(ES256, `passkey vectors ${attestation}`, { attestation });
  const fixture = await judge(honest, { kind: 'registration', response: { ...honest.registration }, tool });
  const description = `${attestation}: a good registration`;
  return expectOutcome({ ...fixture, name: `format-${attestation}`, description, tags: [tagOf(ES256), attestation] }, undefined);
}

/** Makes one vector for each error code that a refused ceremony can have. Also makes the valid ceremonies that these vectors are derived from. */
export async function makeErrorVectors(tool: RecordingTool): Promise<Fixture[]> {
  const seed = 'passkey vectors errors';
  const { openKey } = seededBy(seed);
  const honest = await perform(ES256, seed, { userVerification: 'required' });
  const { creation, registration, request, login, credential } = honest;
  const makeControl = async (kind: CeremonyKind, response: JsonObject): Promise<Fixture> => {
    const fixture = await judge(honest, { kind, response, tool });
    const name = `control-${kind === 'registration' ? 'register' : 'login'}`;
    return expectOutcome({ ...fixture, name, description: `A good ${kind} with user verification`, tags: [tagOf(ES256)] }, undefined);
  };
  const controls = {
    registration: await makeControl('registration', { ...registration }),
    authentication: await makeControl('authentication', { ...login }),
  };
  const common = { origin: ORIGIN, credential };
  const breakOne = async (code: string, fault: VectorFault): Promise<Fixture> => {
    if ('edit' in fault) {
      const { kind, change, attestation, edit } = fault;
      const from = attestation === undefined ? controls[kind] : await makeFormatVector(attestation, tool);
      return describeChange(edit(from), { from, topic: code, change });
    }
    const { id, ceremony: kind, title: change } = findMutation(fault.mutation);
    const { response } = await (kind === 'registration'
      ? mutateRegistration({ ...common, id, options: creation, honest: registration })
      : mutateAuthentication({ ...common, id, options: request, honest: login, openKey }));
    return describeChange({ ...controls[kind], response }, { from: controls[kind], topic: code, change });
  };
  const vectors = [controls.registration, controls.authentication];
  for (const [code, fault] of Object.entries(VECTOR_FAULTS)) {
    const broken = await breakOne(code, fault);
    vectors.push(await expectOutcome({ ...broken, name: `error-${code}`, tags: [tagOf(ES256), code] }, code));
  }
  return vectors;
}

const tagOf = ({ name }: SigningAlgorithm): string => name.toLowerCase();

interface Change {
  readonly from: Fixture;
  /** Subject that the vector tests. */
  readonly topic: string;
  readonly change: string;
}

function describeChange({ credential, ...fixture }: Fixture, { from, topic, change }: Change): Fixture {
  return {
    ...fixture,
    // A refused registration leaves no record.
    ...(credential !== undefined && fixture.kind === 'authentication' && { credential }),
    description: `${topic}: ${change}`,
    provenance: { ...fixture.provenance, derivedFrom: from.name, change },
  };
}

/**
 * Runs the steps of the standard on a fixture, and returns the fixture with their verdict.
 *
 * @param code expected error code; undefined if the fixture must be accepted.
 * @throws TypeError if the verdict is not the expected one.
 */
async function expectOutcome(fixture: Fixture, code: string | undefined): Promise<Fixture> {
  const judgement = await judgeFixture(fixture);
  const outcome = judgement.undecided === undefined ? judgement.outcome : undefined;
  const found = outcome?.outcome === 'rejected' ? outcome.code : undefined;
  if (outcome === undefined || found !== code) {
    throw new TypeError(`Expected ${code ?? 'acceptance'} of ${fixture.name}; got ${found ?? outcome?.outcome ?? 'no verdict'}.`);
  }
  return { ...fixture, expected: outcome };
}

interface Traits {
  /** Kind of attestation in the registration; default: none. */
  readonly attestation?: AttestationName;
  /** User verification that the options request; default: preferred. */
  readonly userVerification?: 'required';
}

async function perform({ id }: SigningAlgorithm, seed: string, traits: Traits = {}): Promise<Honest> {
  const { attestation = 'none', userVerification = 'preferred' } = traits;
  const authenticator = createAuthenticator({ seed, now: () => AT, algorithms: [id], attestation });
  const client = createClient({ authenticator, origin: ORIGIN });
  const random = seededBy(seed).stream('challenges');
  const newChallenge = () => encodeBase64url(random(CHALLENGE_BYTES));
  const creation: CreationOptionsInput = {
    challenge: newChallenge(),
    rp: { name: 'Example', id: RP_ID },
    user: { id: encodeBase64url(encodeUtf8('1')), name: 'ada@example.com', displayName: 'Ada' },
    pubKeyCredParams: [...new Set([id, ...OFFERED])].map((alg) => ({ type: 'public-key', alg })),
    timeout: 60_000,
    attestation: attestation === 'none' ? 'none' : 'direct',
    authenticatorSelection: { residentKey: 'preferred', userVerification },
  };
  const registration = await client.create({ publicKey: creation });
  const allowCredentials = [{ id: registration.id, type: 'public-key', transports: registration.response.transports }];
  const request: RequestOptionsInput = {
    challenge: newChallenge(),
    rpId: RP_ID,
    allowCredentials,
    timeout: 60_000,
    userVerification,
  };
  const login = await client.get({ publicKey: request });
  const [credential] = await authenticator.store.list(RP_ID);
  if (credential === undefined) throw new TypeError('Expected the authenticator to hold its new credential; it holds none.');
  return { creation, registration, request, login, credential };
}

function listFaults(kind: CeremonyKind, { id: algorithm }: SigningAlgorithm): Mutation[] {
  return listMutations(kind).filter(({ id, expected, tests }) => {
    const { browser, anyAlgorithm } = findMutationCase(id, kind);
    const { algorithms } = browser?.authenticator ?? {};
    const fits = anyAlgorithm === true || algorithms === undefined || algorithms.includes(algorithm);
    return fits && expected === 'refused' && (kind === 'registration' ? ABOUT_KEYS.test(id) : tests?.slug === 'signature');
  });
}

/** Waits for a mutation. Returns undefined if the mutation does not apply because it needs other options or another passkey. */
function unlessNotApplicable<T>(mutating: Promise<T>): Promise<T | undefined> {
  return mutating.catch((error: unknown) => {
    if (error instanceof PasskeyError && error.code === 'not_applicable') return undefined;
    throw error;
  });
}

interface Answered {
  readonly kind: CeremonyKind;
  readonly response: JsonObject;
  readonly tool: RecordingTool;
}

/** Runs every step of the standard on a response, in the same way as when a recording is imported. */
async function judge({ creation, registration, request }: Honest, { kind, response, tool }: Answered): Promise<Fixture> {
  const source = 'vector';
  const part = (of: CeremonyKind, json: JsonObject): CredentialPart => {
    return { source, kind: of, credential: readCredential(json), origin: ORIGIN, at: AT, mediation: undefined };
  };
  const options: OptionsPart[] = [
    { source, kind: 'registration', json: { ...creation }, at: AT },
    { source, kind: 'authentication', json: { ...request }, at: AT },
  ];
  const registrations = kind === 'authentication' ? [part('registration', { ...registration })] : [];
  const algorithms = creation.pubKeyCredParams.map(({ alg }) => alg);
  const roots = creation.attestation === 'none' ? undefined : [createAttestationAuthority().root];
  const given = { given: { ...NOTHING_EXPECTED, algorithms, roots }, name: undefined, tool, now: AT, options: [], registrations };
  const { imported, refused } = await importCeremonies({ credentials: [part(kind, response)], options }, given);
  const [made] = imported;
  if (made === undefined || made.remarks.length > 0) {
    throw new TypeError(`Expected a verdict on every part of a vector; got ${JSON.stringify(made?.remarks ?? refused)}.`);
  }
  return made.fixture;
}

/**
 * Adds a description to a test vector.
 *
 * @throws TypeError if the verdict on the vector differs from the one in the catalogue.
 */
function describeVector(fixture: Fixture, { name }: SigningAlgorithm, mutation?: Mutation): Fixture {
  const { expected, provenance, kind } = fixture;
  const beginning = name.toLowerCase();
  const good = `${beginning}-${kind === 'registration' ? 'register' : 'login'}`;
  const code = expected.outcome === 'rejected' ? expected.code : undefined;
  if (code !== mutation?.code) {
    throw new TypeError(`Expected ${mutation?.code ?? 'acceptance'} of ${mutation?.id ?? good} with ${name}; got ${code ?? 'acceptance'}.`);
  }
  if (mutation === undefined) return { ...fixture, name: good, description: `${name}: a good ${kind}`, tags: [beginning] };
  const { id, title, requires } = mutation;
  return {
    ...fixture,
    name: `${beginning}-${id}`,
    description: `${name}: ${title}`,
    tags: [beginning],
    provenance: {
      ...provenance,
      ...(requires.length > 0 && { notes: `A relying party refuses it if ${requires.join(', and ')}.` }),
      derivedFrom: good,
      change: title,
    },
  };
}

/** Writes the public key of a vector in all formats that libraries accept. */
function describeKey({ id, name }: SigningAlgorithm, key: CoseKey): NonNullable<Fixture['publicKey']> {
  const raw = readRawKey(key);
  return {
    algorithm: id,
    name,
    cose: encodeBase64url(encodeCoseKey(key)),
    spki: encodeBase64url(encodeSubjectPublicKeyInfo(key)),
    ...(raw && { raw: encodeBase64url(raw) }),
  };
}

function readRawKey(key: CoseKey): Uint8Array | undefined {
  switch (key.kty) {
    case KEY_TYPES.EC2:
      return uncompressedPoint(key);
    case KEY_TYPES.OKP:
      return key.x;
    case KEY_TYPES.AKP:
      return key.pub;
    case KEY_TYPES.RSA:
      return undefined;
  }
}
