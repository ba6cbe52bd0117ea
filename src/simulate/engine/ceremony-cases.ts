import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '../../kernel/json-value.js';
import type { CeremonyKind } from '../../webauthn/enumerations.js';
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '../../webauthn/json.js';
import type { Mismatch } from '../report/report.js';
import type { Answer, User } from '../target/driver.js';
import { checkLoginAnswer, checkRegisterAnswer, checkVerifyAnswer } from './accepted-answers.js';
import {
  type AttemptChange,
  type AuthenticationAttempt,
  type Begun,
  type EditsFor,
  type EitherAttempt,
  findRpId,
  prepareActor,
  type RegistrationAttempt,
  readyLogin,
  readyRegistration,
  registrationWants,
  type Sending,
  type Unsent,
} from './attempts.js';
import type { Case, CaseSpec } from './case.js';
import { type BrowserTraits, beginRegistration, createBrowser, nameRequest } from './ceremony.js';
import type { CaseContext } from './context.js';
import { type AuthenticationEdits, type CommonEdits, type RegistrationEdits, UNCHANGED } from './edits.js';
import { ACCEPTED, compareOutcome, denied, type ExpectedAnswer, expectedIn, refused } from './outcome.js';
import { notApplicable } from './scenario.js';

/**
 * Members that specifications of registration and authentication cases share. `Attempt` is the ceremony whose response is about to be sent.
 */
interface CeremonySpec<Options, Edits, Attempt extends Begun<Options> & Sending> extends CaseSpec, AttemptChange<Options, Edits> {
  /** The expected response. Default: a correct target accepts the ceremony. */
  readonly expected?: ExpectedAnswer;
  readonly browser?: BrowserTraits;
  readonly beforeSending?: (attempt: Attempt) => unknown;
  /** Replaces the body of the request that finishes the ceremony. */
  readonly rewrite?: (attempt: Unsent<Attempt>) => JsonObject | Promise<JsonObject>;
  /** True if the change has the same effect with keys of every algorithm and with every authenticator. */
  readonly anyAlgorithm?: true;
  /**
   * True if the case needs a second ceremony, of another user or at another time, and therefore cannot be derived from a single recorded
   * response.
   */
  readonly severalCeremonies?: true;
  /** Checks our own API's response to an accepted ceremony. Default: compares all members of the response. */
  readonly check?: (answer: Answer, attempt: Attempt) => Mismatch[] | Promise<Mismatch[]>;
}

/** Specification of a case in which user 1 registers a passkey. */
export interface RegistrationSpec extends CeremonySpec<PublicKeyCredentialCreationOptionsJSON, RegistrationEdits, RegistrationAttempt> {
  /** Further members of the request body, e.g. `label`. Only for our own API. */
  readonly members?: JsonObject;
  /**
   * The user who sends the response. If it is not user 1, who requested the options, this user begins a registration too before sending.
   * Default: user 1.
   */
  readonly sentBy?: User;
}

/**
 * Specification of a case that authenticates with a passkey that user 1 registered on the application's own page. Uses the endpoint
 * `verify` if the ID begins with `verify.`.
 */
export type AuthenticationSpec = CeremonySpec<PublicKeyCredentialRequestOptionsJSON, AuthenticationEdits, AuthenticationAttempt>;

/** A case of one ceremony, with the specification from which it was made. */
export type CeremonyCase = RegistrationCase | AuthenticationCase;
export type RegistrationCase = Case & RegistrationSpec & { readonly ceremony: 'registration' };
export type AuthenticationCase = Case & AuthenticationSpec & { readonly ceremony: 'authentication' };

export function isCeremonyCase(each: Case): each is CeremonyCase {
  return 'ceremony' in each;
}

export function registrationCase({ expected = ACCEPTED, check = checkRegisterAnswer, ...spec }: RegistrationSpec): RegistrationCase {
  const { members = {}, sentBy, wants } = spec;
  return {
    ...spec,
    expected,
    ceremony: 'registration',
    async run(context) {
      const session = await context.session(1);
      const { browser: traits, ...change } = spec;
      const attempt = await readyRegistration(context, session, { ...change, browser: createBrowser(context, traits) });
      await spec.beforeSending?.(attempt);
      const sender = sentBy === undefined ? session : await context.session(sentBy);
      if (sender !== session) await beginRegistration(context, sender, wants);
      const sent = (await spec.rewrite?.(attempt)) ?? attempt.body;
      holdChanged(spec, attempt);
      holdSent(context, 'register', { honest: { ...attempt.honest }, sent: { ...sent, ...members } });
      return judge({ ...spec, expected, check }, attempt, await sender.finishRegistration(sent, members));
    },
  };
}

export function authenticationCase({ expected = ACCEPTED, ...spec }: AuthenticationSpec): AuthenticationCase {
  const isVerification = spec.id.startsWith('verify.');
  const wants = { ...spec.wants, ...(isVerification && { endpoint: 'verify' as const }) };
  const { check = isVerification ? checkVerifyAnswer : checkLoginAnswer } = spec;
  return {
    ...spec,
    wants,
    expected,
    ceremony: 'authentication',
    async run(context) {
      const { browser: traits, ...change } = spec;
      const actor = await prepareActor(context, await context.session(1), { traits, wants: registrationWants(wants) });
      const attempt = await readyLogin(actor, { ...change, wants });
      await spec.beforeSending?.(attempt);
      const sent = (await spec.rewrite?.(attempt)) ?? attempt.body;
      holdChanged(spec, attempt);
      holdSent(context, 'authenticate', { honest: { ...attempt.honest }, sent });
      return judge({ ...spec, expected, check }, attempt, await attempt.send(attempt.session, sent));
    },
  };
}

interface Changed {
  readonly honest: JsonObject;
  readonly sent: JsonObject;
}

/** Ends a case as not applicable if its edits change nothing, because its request would not test anything. */
function holdChanged({ rewrite }: { readonly rewrite?: unknown }, { unchanged }: Pick<EitherAttempt, 'unchanged'>): void {
  if (unchanged && rewrite === undefined) throw notApplicable(UNCHANGED);
}

/** Ends a case as not applicable if it changes only members of the credential that the profile does not send to the target. */
function holdSent(context: CaseContext, phase: 'register' | 'authenticate', changed: Changed): void {
  const unsent = unsentChanges(context, phase, changed);
  if (unsent.length > 0) throw notApplicable(`the profile does not send the ${unsent.join(' and ')} of a credential to the target`);
}

/**
 * Lists the members in which a credential differs from the honest one, if the target receives none of them. Otherwise the list is empty.
 */
export function unsentChanges({ driver }: CaseContext, phase: 'register' | 'authenticate', { honest, sent }: Changed): readonly string[] {
  const [before, after] = [listMembers(honest), listMembers(sent)];
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter((name) => !isDeepStrictEqual(before.get(name), after.get(name)));
  return changed.some((name) => driver.sends(phase, name)) ? [] : changed;
}

/**
 * Maps the path of each member of a response to its value. Signatures differ each time, so a signature is replaced with a mark that it is
 * present.
 */
function listMembers({ response, ...members }: JsonObject): ReadonlyMap<string, unknown> {
  const inner = isObject(response) ? Object.entries(response).map(([name, value]) => [`response.${name}`, value] as const) : [];
  const all = new Map([...Object.entries(members), ...inner]);
  return typeof all.get('response.signature') === 'string' ? all.set('response.signature', 'a signature') : all;
}

/**
 * Compares the target's response with the expected one. If the response reports acceptance, also checks its members, but only for our own
 * API.
 */
async function judge<Attempt extends { readonly context: CaseContext }>(
  spec: Pick<Case, 'id' | 'expected' | 'disputed'> & {
    readonly check: (answer: Answer, attempt: Attempt) => Mismatch[] | Promise<Mismatch[]>;
  },
  attempt: Attempt,
  answer: Answer,
): Promise<Mismatch[]> {
  const { api, driver } = attempt.context;
  const mismatches = compareOutcome(nameRequest(answer, 'the ceremony'), expectedIn(spec, driver.has), answer, driver.has);
  const isChecked = spec.expected.outcome === 'verified' && mismatches.length === 0 && api !== undefined;
  return isChecked ? spec.check(answer, attempt) : mismatches;
}

/** Facts about a registration or a login that the functions making edits need. */
export interface EitherCeremony {
  readonly ceremony: CeremonyKind;
  readonly context: CaseContext;
  readonly rpId: string;
}

/** A row that becomes a registration case and a login case. With `code`, the row describes a fault; without it, a conforming variant. */
export interface BothRow extends Omit<CaseSpec, 'id' | 'step'> {
  /** Last part of the IDs of the registration case and the login case. */
  readonly what: string;
  readonly browser?: BrowserTraits;
  readonly edits?: EditsFor<EitherCeremony, CommonEdits>;
  readonly beforeSending?: (attempt: EitherAttempt) => unknown;
  readonly code?: string;
  /** Slug of the tested step, or one slug for each kind of ceremony. */
  readonly step?: string | Readonly<Record<CeremonyKind, string>>;
}

/** Makes a registration case and a login case from one row. */
export function both({ what, code, step, edits, ...common }: BothRow): Case[] {
  const { registration, authentication } = typeof step === 'object' ? step : { registration: step, authentication: step };
  const expect = (slug: string | undefined, refuse: typeof denied) =>
    code === undefined ? { ...(slug !== undefined && { step: slug }) } : { expected: refuse(code, slug) };
  const editsOf =
    (ceremony: CeremonyKind) =>
    ({ context, options }: BegunEither) =>
      typeof edits === 'function'
        ? edits({ ceremony, context, rpId: findRpId(context, 'rp' in options ? options.rp.id : options.rpId) })
        : {};
  const change = (ceremony: CeremonyKind) => edits && { edits: typeof edits === 'function' ? editsOf(ceremony) : edits };
  return [
    registrationCase({ ...common, ...change('registration'), id: `register.${what}`, ...expect(registration, refused) }),
    authenticationCase({ ...common, ...change('authentication'), id: `login.${what}`, ...expect(authentication, denied) }),
  ];
}

type BegunEither = Begun<PublicKeyCredentialCreationOptionsJSON | PublicKeyCredentialRequestOptionsJSON>;
