import { expect, test } from 'vitest';
import { createAuthenticator, type SoftwareAuthenticator } from '../../../src/authenticator/authenticator.js';
import { seededBy, seededKeyPairs } from '../../../src/authenticator/seeded.js';
import type { AuthenticatorTraits } from '../../../src/authenticator/settings.js';
import { createClient } from '../../../src/client/client.js';
import type { CreationOptionsInput, RequestOptionsInput } from '../../../src/client/dictionaries.js';
import { PasskeyError } from '../../../src/errors.js';
import { ALL_CASES } from '../../../src/simulate/cases/all-cases.js';
import { mutateAuthentication, mutateRegistration } from '../../../src/simulate/mutations/mutate.js';
import { listMutations, type Mutation } from '../../../src/simulate/mutations/mutation.js';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '../../../src/webauthn/json.js';
import { describeResponse, type Facts, listChanges } from './described-response.js';

const ORIGIN = 'https://login.app.example.com:8443';
const RP_ID = 'app.example.com';
const TOP_ORIGIN = 'https://top.example.net';
const NOW = Date.now();
/** Its bytes are written differently in the two alphabets of base64, and in capitals. */
const CHALLENGE = Buffer.from(Array.from({ length: 32 }, (_, at) => 255 - at)).toString('base64url');

const CREATION: CreationOptionsInput = {
  rp: { id: RP_ID, name: 'Example' },
  user: { id: 'MQ', name: 'ada@example.com', displayName: 'Ada' },
  challenge: CHALLENGE,
  pubKeyCredParams: offer([-7, -8, -257]),
};

const BY_ID = new Map(ALL_CASES.map((each) => [each.id, each]));

function offer(algorithms: readonly number[]) {
  return algorithms.map((alg) => ({ type: 'public-key', alg }));
}

function openSources() {
  const { stream, openKey } = seededBy('changes of mutations');
  return { newPrivateKey: seededKeyPairs(stream('keys')), newCredentialId: stream('credential IDs'), openKey };
}

interface Holder {
  readonly honest: RegistrationResponseJSON;
  readonly authenticator: SoftwareAuthenticator;
}

interface Logged {
  readonly honest: AuthenticationResponseJSON;
  readonly options: RequestOptionsInput;
}

/** Responses that several mutations change, by what they depend on. */
const registrations = new Map<string, Promise<Holder>>();
const logins = new Map<string, Promise<Logged>>();

function registered(traits: AuthenticatorTraits, publicKey: CreationOptionsInput): Promise<Holder> {
  const key = JSON.stringify([traits, publicKey]);
  const before = registrations.get(key);
  if (before !== undefined) return before;
  const authenticator = createAuthenticator({ ...openSources(), ...traits });
  const made = createClient({ authenticator, origin: ORIGIN })
    .create({ publicKey })
    .then((honest) => ({ honest, authenticator }));
  registrations.set(key, made);
  return made;
}

/** The second login, after which a sign count can fall. */
async function loggedIn({ honest: { id }, authenticator }: Holder, { options, login }: Mutation['asks']): Promise<Logged> {
  const allowCredentials = login === 'discoverable' ? [] : [{ type: 'public-key', id }];
  const publicKey: RequestOptionsInput = { challenge: CHALLENGE, rpId: RP_ID, allowCredentials, ...options };
  const client = createClient({ authenticator, origin: ORIGIN });
  await client.get({ publicKey });
  return { honest: await client.get({ publicKey }), options: publicKey };
}

type Changed = readonly [plain: object, changed: object];

const COMMON = { origin: ORIGIN, topOrigin: TOP_ORIGIN };

async function changeRegistration({ id, asks }: Mutation): Promise<Changed> {
  const options: CreationOptionsInput = { ...CREATION, ...asks.options };
  const { honest, authenticator } = await registered(BY_ID.get(id)?.browser?.authenticator ?? {}, options);
  const [credential] = await authenticator.store.list();
  if (credential === undefined) throw new Error('Expected a credential; got none.');
  const { newPrivateKey, newCredentialId } = openSources();
  const { response } = await mutateRegistration({ ...COMMON, id, options, newPrivateKey, newCredentialId, honest, credential });
  const plain = await registered({}, CREATION);
  return [plain.honest, response];
}

async function changeLogin({ id, asks }: Mutation): Promise<Changed> {
  const { browser, wants = {} } = BY_ID.get(id) ?? {};
  const traits = { alwaysDiscoverable: true, ...browser?.authenticator };
  const algorithms = wants.algorithms ?? traits.algorithms ?? [-7];
  const holder = await registered(traits, { ...CREATION, pubKeyCredParams: offer(algorithms) });
  const key = JSON.stringify([traits, algorithms, asks]);
  const login = logins.get(key) ?? loggedIn(holder, asks);
  logins.set(key, login);
  const { honest, options } = await login;
  const [credential] = await holder.authenticator.store.list();
  if (credential === undefined) throw new Error('Expected a credential; got none.');
  const { openKey } = openSources();
  const { response } = await mutateAuthentication({ ...COMMON, id, options, credential, honest, openKey });
  return [honest, response];
}

/** The first response with each attestation statement format, to which the next ones are compared. */
const firstOfFormat = new Map<string, Facts>();

async function describeChange(mutation: Mutation): Promise<string> {
  try {
    const changed = await (mutation.ceremony === 'registration' ? changeRegistration(mutation) : changeLogin(mutation));
    const [plain, after] = changed.map((each) => describeResponse(each, NOW));
    if (plain === undefined || after === undefined) throw new TypeError('Expected two responses.');
    const format = after.get('fmt') ?? '"none"';
    const attested = `${format}${after.has('attStmt.x5c.0/0/0') ? ' with certificates' : ''}`;
    const before = format === '"none"' ? plain : (firstOfFormat.get(attested) ?? plain);
    if (before === plain) firstOfFormat.set(attested, after);
    return listChanges(before, after).join('; ');
  } catch (error) {
    if (!(error instanceof PasskeyError)) throw error;
    return error.message;
  }
}

// Takes seconds, because it makes hundreds of certificates; no other test sees a value that a case sends in vain.
test('what each mutation changes in a response stays as recorded', async () => {
  const lines: string[] = [];
  for (const each of listMutations()) lines.push(`${each.id}: ${await describeChange(each)}\n`);
  await expect(lines.join('')).toMatchFileSnapshot('changes.txt');
});
