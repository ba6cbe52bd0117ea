import { describe, expect, test } from 'vitest';
import { createAuthenticator, type SoftwareAuthenticator } from '../../../src/authenticator/authenticator.js';
import { seededBy, seededKeyPairs } from '../../../src/authenticator/seeded.js';
import type { AuthenticatorTraits } from '../../../src/authenticator/settings.js';
import { createClient } from '../../../src/client/client.js';
import { PasskeyError } from '../../../src/errors.js';
import { ALL_CASES } from '../../../src/simulate/cases/all-cases.js';
import { mutateAuthentication, mutateRegistration } from '../../../src/simulate/mutations/mutate.js';
import { listMutations, type Mutation } from '../../../src/simulate/mutations/mutation.js';
import { readResponseJson, tamperAuthentication, tamperRegistration } from '../../../src/simulate/mutations/tamper-response.js';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '../../../src/webauthn/json.js';
import { describeResponse, type Facts, listChanges } from './described-response.js';

const ORIGIN = 'https://login.app.example.com:8443';
const RP_ID = 'app.example.com';
const TOP_ORIGIN = 'https://top.example.net';
const NOW = Date.now();
/** Its bytes are written differently in the two alphabets of base64, and in capitals. */
const CHALLENGE = Buffer.from(Array.from({ length: 32 }, (_, at) => 255 - at)).toString('base64url');

const CREATION: PublicKeyCredentialCreationOptionsJSON = {
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
  readonly options: PublicKeyCredentialRequestOptionsJSON;
}

/** Responses that several mutations change, by what they depend on. */
const registrations = new Map<string, Promise<Holder>>();
const logins = new Map<string, Promise<Logged>>();

function registered(traits: AuthenticatorTraits, publicKey: PublicKeyCredentialCreationOptionsJSON): Promise<Holder> {
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
  const publicKey: PublicKeyCredentialRequestOptionsJSON = { challenge: CHALLENGE, rpId: RP_ID, allowCredentials, ...options };
  const client = createClient({ authenticator, origin: ORIGIN });
  await client.get({ publicKey });
  return { honest: await client.get({ publicKey }), options: publicKey };
}

interface Changed {
  /** A response without the mutation, of an ordinary authenticator. */
  readonly plain: object;
  readonly changed: object;
  /** Makes the mutation without the private key, of a response that is finished. */
  readonly tamper: () => Promise<object>;
  readonly honest: object;
}

const COMMON = { origin: ORIGIN, topOrigin: TOP_ORIGIN };

async function changeRegistration({ id, asks }: Mutation): Promise<Changed> {
  const options: PublicKeyCredentialCreationOptionsJSON = { ...CREATION, ...asks.options };
  const { honest, authenticator } = await registered(BY_ID.get(id)?.browser?.authenticator ?? {}, options);
  const [credential] = await authenticator.store.list();
  if (credential === undefined) throw new Error('Expected a credential; got none.');
  const { newPrivateKey, newCredentialId } = openSources();
  const { response } = await mutateRegistration({ ...COMMON, id, options, newPrivateKey, newCredentialId, honest, credential });
  const { honest: plain } = await registered({}, CREATION);
  return { plain, changed: response, honest, tamper: () => tamperRegistration({ id, options, response: honest }) };
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
  const { algorithm } = credential;
  return { plain: honest, changed: response, honest, tamper: () => tamperAuthentication({ id, options, response: honest, algorithm }) };
}

/** The first response with each attestation statement format, to which the next ones are compared. */
const firstOfFormat = new Map<string, Facts>();

/** What became of each mutation: its responses, or why it does not apply. */
async function changeAll(): Promise<ReadonlyMap<Mutation, Changed | PasskeyError>> {
  const all = new Map<Mutation, Changed | PasskeyError>();
  for (const each of listMutations()) {
    const changing = each.ceremony === 'registration' ? changeRegistration(each) : changeLogin(each);
    all.set(each, await changing.catch(refusal));
  }
  return all;
}

function refusal(error: unknown): PasskeyError {
  if (error instanceof PasskeyError) return error;
  throw error;
}

let changes: ReturnType<typeof changeAll> | undefined;

function describeChange({ plain, changed }: Changed): string {
  const after = describeResponse(changed, NOW);
  const format = after.get('fmt') ?? '"none"';
  const attested = `${format}${after.has('attStmt.x5c.0/0/0') ? ' with certificates' : ''}`;
  const first = format === '"none"' ? undefined : firstOfFormat.get(attested);
  if (first === undefined) firstOfFormat.set(attested, after);
  return listChanges(first ?? describeResponse(plain, NOW), after).join('; ');
}

// Takes seconds, because it makes hundreds of certificates; no other test sees a value that a case sends in vain.
test('what each mutation changes in a response stays as recorded', async () => {
  const all = await (changes ??= changeAll());
  const lines = [...all].map(([{ id }, made]) => `${id}: ${made instanceof PasskeyError ? made.message : describeChange(made)}\n`);
  await expect(lines.join('')).toMatchFileSnapshot('changes.txt');
});

function withoutSignature(response: object): Facts {
  const facts = new Map(describeResponse(response, NOW));
  facts.delete('response.signature');
  return facts;
}

test('a finished response is changed in the same way without its key, unless it needs a new signature', async () => {
  for (const [{ id, inBrowser }, made] of await (changes ??= changeAll())) {
    if (made instanceof PasskeyError) continue;
    const tampered = await made.tamper().catch(refusal);
    if (inBrowser) expect([id, withoutSignature(tampered)]).toEqual([id, withoutSignature(made.changed)]);
    else expect(tampered).toMatchObject({ code: 'not_applicable', message: expect.stringContaining(`${id} needs a new signature or`) });
  }
});

describe('a finished response', () => {
  test('is recognized by its members', async () => {
    const { honest, authenticator } = await registered({ alwaysDiscoverable: true }, CREATION);
    const login = await createClient({ authenticator, origin: ORIGIN }).get({ publicKey: { challenge: CHALLENGE, rpId: RP_ID } });
    expect([honest, login].map((each) => readResponseJson(each))).toEqual([
      { kind: 'registration', response: honest },
      { kind: 'authentication', response: login },
    ]);
    const without = ({ response, ...rest }: typeof login, member: keyof typeof response) => ({
      ...rest,
      response: { ...response, [member]: 1 },
    });
    const incomplete = (['clientDataJSON', 'authenticatorData', 'signature'] as const).map((member) => without(login, member));
    for (const each of [...incomplete, { ...login, id: 1 }, null]) {
      expect(() => readResponseJson(each)).toThrow('Expected RegistrationResponseJSON or AuthenticationResponseJSON');
    }
  });

  test.each([
    [
      'register.client-data-further-members',
      {},
      'the packed statement of the response signs the data that it changes; request attestation "none"',
    ],
    ['register.public-key-zero', {}, 'it needs a credential of ES256, and this one is of EdDSA'],
    ['register.origin-other-site', {}, undefined],
    ['register.attestation-object-reordered', {}, undefined],
    ['register.transports-absent', {}, undefined],
  ])('of an authenticator that attests is changed by %s, or says why not', async (id, more, reason) => {
    const options = { ...CREATION, attestation: 'direct', ...more };
    const { honest } = await registered({ attestation: 'packed', ...(id.includes('key') && { algorithms: [-8] }) }, options);
    const tampering = tamperRegistration({ id, options, response: honest });
    if (reason === undefined) expect(await tampering).not.toEqual(honest);
    else await expect(tampering).rejects.toThrow(`The mutation ${id} does not apply here: ${reason}.`);
  });
});
