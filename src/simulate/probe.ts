import { ATTESTATION_NAMES, type AttestationName } from '../authenticator/attestation/named-formats.js';
import { createAuthenticator } from '../authenticator/authenticator.js';
import { type Client, createClient } from '../client/client.js';
import type { JsonObject } from '../kernel/json-value.js';
import { decodeAttestationObject } from '../webauthn/attestation-object.js';
import { decodeBase64url, encodeBase64url } from '../webauthn/base64url.js';
import type { PublicKeyCredentialCreationOptionsJSON } from '../webauthn/json.js';
import { setClientData } from './engine/client-data-edits.js';
import { editRegistration, flipBit } from './engine/edits.js';
import { listAttestations, refusesNone, traitsFor } from './target/attestation-for.js';
import type { Answer, Login, RegisteredPasskey, Session } from './target/driver.js';
import { describeMisfit, type Forgery, forgeryMisfit, misfitAt, namedMisfit } from './target/misfit.js';
import { type Measured, type ProbeFound, type ProbeReport, toCapabilities } from './target/probe-report.js';
import { createWalk, type Found, type ProbeOptions, Stop, untilStop, type Walk } from './target/probe-walk.js';

/**
 * Tries out a profile as one honest user and two attackers. The steps are: account, registration, the kinds of login in `has`, the
 * signed-in user, a login with a changed signature, cleanup, and a registration with a different challenge. If a step does not work, only
 * the steps that depend on it are skipped, so that one probe reveals as many wrong lines of the profile as possible. Always cleans up.
 *
 * @throws PasskeyError `interrupted`
 */
export async function probe(options: ProbeOptions): Promise<ProbeReport> {
  const { driver, profile, url } = options;
  const walk = createWalk(options);
  let registered: Registered | undefined;
  const onRegistered = (made: Registered) => {
    registered = made;
  };
  await untilStop(() => walkCeremonies(walk, options, onRegistered));
  if (registered !== undefined) {
    const { passkey, attestation } = registered;
    await walk.cleanUp(driver, passkey.taken);
    await untilStop(() => forgeRegistration(walk, options, attestation));
    // Nothing is known to be left: the target may have accepted the forgery or not.
    await driver.cleanUp();
  }
  return {
    format: 'passkey-probe-report',
    version: 1,
    profile: profile.name,
    url,
    origin: driver.origin,
    passed: walk.steps.every(({ status }) => status !== 'failed'),
    answered: walk.answered(),
    steps: walk.steps,
    found: { ...walk.found, ...listFound(walk.found.logins, registered) },
  };
}

function listFound(logins: readonly Login[], registered: Registered | undefined): Pick<ProbeFound, 'measured' | 'has'> {
  const isSelf = registered?.attestation === 'packed' && registered.refused.includes('packed-x5c');
  const evidence = 'the target refused the probe with certificates, and accepted it with self attestation';
  const measured: readonly Measured[] = [
    ...(logins.length === 0 ? [] : [{ member: 'logins' as const, value: logins, evidence: 'accepted by the probe' }]),
    ...(isSelf ? [{ member: 'trust' as const, value: 'other', evidence }] : []),
  ];
  return { measured: [...measured], has: toCapabilities(measured) };
}

async function walkCeremonies(walk: Walk, options: ProbeOptions, onRegistered: (registered: Registered) => void): Promise<void> {
  const { driver, profile } = options;
  const session = await openAccount(walk, options);
  const logins = driver.has.logins ?? [];
  let registered: Registered | undefined;
  await untilStop(async () => {
    registered = await register(walk, options, session);
  });
  if (registered === undefined) {
    // Which passkeys there are tells nothing to those who name none: its lines can be walked all the same.
    if (walk.answered() && logins.includes('discoverable')) await untilStop(() => askForLogin(walk, session));
    return;
  }
  const made = registered;
  onRegistered(made);
  const hasWitness = (profile.whoami ?? []).length > 0;
  for (const login of logins) await untilStop(() => logIn(walk, options, { ...made, session, login }));
  walk.found.witness = hasWitness;
  if (!hasWitness) {
    walk.note('whoami', undefined, {
      status: 'skipped',
      said: 'The profile does not ask who is signed in: add "whoami", which checks the result of each login.',
    });
  }
  if (walk.found.logins.includes('named')) await tryUnknownUser(walk, options);
  const [login] = walk.found.logins;
  if (login !== undefined) await forgeLogin(walk, options, { ...made, session, login });
}

async function openAccount(walk: Walk, options: ProbeOptions): Promise<Session> {
  const opened = await options.driver.openUser(1);
  if (opened === undefined) {
    const expected = 'a test user';
    const change = 'Pass --token, or set "users" in "has" to the number of users.';
    walk.note('account', undefined, { misfit: misfitAt(options, { pointer: '/has/users', expected, received: 'none', change }) });
    throw new Stop();
  }
  if ('outcome' in opened) {
    walk.expectAccepted('account', 'account', opened);
    throw new Stop();
  }
  const none = (options.profile.account ?? []).length === 0;
  walk.note('account', undefined, none ? { status: 'skipped', said: 'the profile needs no account' } : { said: 'signed up' });
  return opened;
}

interface Registered {
  readonly client: Client;
  /** Kind of attestation with which the target accepted the registration. */
  readonly attestation: AttestationName;
  /** Kinds of attestation that the target refused before it accepted one. */
  readonly refused: readonly AttestationName[];
  readonly passkey: RegisteredPasskey;
}

/**
 * Kinds of attestation in the order in which they are tried. Self attestation (`packed`) comes last, because many servers that refuse
 * registrations without attestation refuse self attestation too.
 */
const ATTESTATIONS = [...ATTESTATION_NAMES.filter((name) => name !== 'packed'), 'packed'] as const;

/**
 * Orders the kinds of attestation to try. If the profile says that the target refuses registrations without attestation, the kinds that it
 * lists come first.
 */
function orderAttestations({ driver: { has } }: ProbeOptions): readonly AttestationName[] {
  return refusesNone(has) ? [...new Set([...listAttestations(has), ...ATTESTATIONS])] : ATTESTATIONS;
}

/**
 * Registers with the attestation that the profile names, otherwise without attestation. If the target refuses that but requests
 * attestation, tries each kind of attestation until one is accepted.
 */
async function register(walk: Walk, options: ProbeOptions, session: Session): Promise<Registered> {
  const { driver } = options;
  let refused: Answer | undefined;
  const tried: AttestationName[] = [];
  for (const attestation of orderAttestations(options)) {
    const begun = await session.beginRegistration();
    if (refused === undefined || begun.answer.outcome !== 'accepted') {
      walk.expectAccepted('registration options', 'registrationOptions', begun.answer);
    }
    const { options: publicKey } = begun;
    if (publicKey === undefined) throw new Stop();
    look(walk.found, publicKey, driver.origin);
    const authenticator = createAuthenticator({ ...traitsFor(driver.has), alwaysDiscoverable: true, attestation });
    const client = createClient({ authenticator, origin: driver.origin });
    const credential = await asBrowser(walk, options, 'create the passkey', () => client.create({ publicKey }));
    const answer = await session.finishRegistration({ ...credential });
    if (answer.outcome === 'accepted') {
      walk.expectAccepted(
        `registration${refused === undefined ? '' : ` with attestation ${attestation}, since ${tried[0]} is refused`}`,
        'register',
        answer,
      );
      walk.found.formats.push(decodeAttestationObject(decodeBase64url(credential.response.attestationObject)).fmt);
      return { client, attestation, refused: tried, passkey: { credentialId: credential.id, taken: answer.taken } };
    }
    refused ??= answer;
    tried.push(attestation);
    if (answer.outcome !== 'refused' || (publicKey.attestation ?? 'none') === 'none') break;
  }
  if (refused !== undefined) walk.expectAccepted('registration', 'register', refused);
  throw new Stop();
}

/**
 * Runs a ceremony in the role of the browser. If the browser refuses the options, reports the origin as the most likely mistake.
 *
 * @throws Stop
 */
async function asBrowser<T>(walk: Walk, options: ProbeOptions, name: string, ceremony: () => Promise<T>): Promise<T> {
  try {
    return await ceremony();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const change = `Ceremonies run on ${options.driver.origin}. If your page has another origin, set "origin" in the profile or --origin; otherwise, browsers refuse these options too.`;
    const advice = { pointer: '/origin', expected: 'options that a browser accepts', received: `${error.name}: ${error.message}`, change };
    walk.note(name, undefined, { said: advice.received, misfit: misfitAt(options, advice) });
    throw new Stop();
  }
}

interface Attempt extends Registered {
  readonly session: Session;
  readonly login: Login;
}

/** Begins a login. Returns undefined if the options are for another kind of login. */
async function begin(walk: Walk, options: ProbeOptions, { session, client, passkey, login }: Attempt) {
  const visit = session.newVisit();
  const name = `${login} login: options`;
  const { answer, options: publicKey } = await visit.beginAuthentication(login, passkey);
  if (login === 'discoverable' && (publicKey?.allowCredentials ?? []).length > 0) {
    walk.note(name, answer, { misfit: namedMisfit(options, answer) });
    return undefined;
  }
  walk.expectAccepted(name, 'authenticationOptions', answer);
  if (publicKey === undefined) throw new Stop();
  const assertion = await asBrowser(walk, options, `${login} login: use the passkey`, () => client.get({ publicKey }));
  return { visit, assertion };
}

/**
 * Requests the options of a discoverable login without sending a response, because no passkey could be registered.
 *
 * @throws Stop
 */
async function askForLogin(walk: Walk, session: Session): Promise<void> {
  const { answer } = await session.newVisit().beginAuthentication('discoverable');
  walk.expectAccepted('discoverable login: options', 'authenticationOptions', answer);
}

async function logIn(walk: Walk, options: ProbeOptions, attempt: Attempt): Promise<void> {
  const begun = await begin(walk, options, attempt);
  if (begun === undefined) return;
  const answer = await begun.visit.finishAuthentication({ ...begun.assertion });
  walk.expectAccepted(`${attempt.login} login`, 'authenticate', answer);
  walk.found.logins.push(attempt.login);
}

/** Begins a login of a user who has no passkey. If the profile creates no account, the server does not know that user at all. */
async function tryUnknownUser(walk: Walk, { driver }: ProbeOptions): Promise<void> {
  const session = await driver.openUser(2);
  if (session === undefined || 'outcome' in session) return;
  const { answer } = await session.newVisit().beginAuthentication('named');
  // A profile may need the passkey to name the user.
  if (answer.absent !== undefined) return;
  walk.found.unknown_user = answer.outcome === 'accepted' ? 'options' : 'refused';
  walk.note('named login of a user without a passkey: options', answer, {});
}

/** Sends a login response with a changed signature, which the server must refuse. */
async function forgeLogin(walk: Walk, options: ProbeOptions, attempt: Attempt): Promise<void> {
  const begun = await begin(walk, options, attempt);
  if (begun === undefined) return;
  const { visit, assertion } = begun;
  const signature = encodeBase64url(flipBit(-1)(decodeBase64url(assertion.response.signature)));
  const forged: JsonObject = { ...assertion, response: { ...assertion.response, signature } };
  expectRefused(walk, options, { phase: 'authenticate', changed: 'signature', answer: await visit.finishAuthentication(forged) });
}

/**
 * Sends a registration response with a different challenge, which the server must refuse. As in the cases, the user has no passkey yet if
 * the target has an unlimited number of users.
 */
async function forgeRegistration(walk: Walk, options: ProbeOptions, attestation: AttestationName): Promise<void> {
  const { driver } = options;
  const session = await driver.openUser(1);
  if (session === undefined) return;
  if ('outcome' in session) return walk.expectAccepted('another account', 'account', session);
  const { answer: begun, options: publicKey } = await session.beginRegistration();
  walk.expectAccepted('another registration: options', 'registrationOptions', begun);
  if (publicKey === undefined) throw new Stop();
  const authenticator = createAuthenticator({ ...traitsFor(driver.has), alwaysDiscoverable: true, attestation });
  const client = createClient({ authenticator, origin: driver.origin });
  const credential = await asBrowser(walk, options, 'create another passkey', () => client.create({ publicKey }));
  const challenge = encodeBase64url(flipBit(-1)(decodeBase64url(publicKey.challenge)));
  const [source] = await authenticator.store.list();
  const forged = await editRegistration(credential, source, { clientData: setClientData({ challenge }) });
  const answer = await session.finishRegistration(forged);
  expectRefused(walk, options, { phase: 'register', changed: 'challenge', answer });
}

function expectRefused(walk: Walk, options: ProbeOptions, forgery: Forgery): void {
  const { phase, changed, answer } = forgery;
  const name = `${phase === 'register' ? 'registration' : 'login'} with a changed ${changed}`;
  if (answer.outcome === 'refused') return walk.note(name, answer, { said: `refused, as it must be: ${answer.said}` });
  walk.note(name, answer, {
    misfit: answer.outcome === 'broken' ? describeMisfit(options, phase, answer) : forgeryMisfit(options, forgery),
  });
}

function look(found: Found, options: PublicKeyCredentialCreationOptionsJSON, origin: string): void {
  found.rp_id = options.rp.id ?? new URL(origin).hostname;
  found.algorithms = options.pubKeyCredParams.map(({ alg }) => alg);
  found.attestation = options.attestation ?? null;
  found.user_verification = options.authenticatorSelection?.userVerification ?? null;
  found.resident_key = options.authenticatorSelection?.residentKey ?? null;
}
