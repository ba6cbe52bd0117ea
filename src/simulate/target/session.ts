import { isDeepStrictEqual } from 'node:util';
import { asObject, isObject } from '../../kernel/json-value.js';
import { decodeBase64, encodeBase64url } from '../../webauthn/base64url.js';
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '../../webauthn/json.js';
import { findToken } from './challenge-token.js';
import type { Answer, Asks, Begun, BegunCeremony, Login, RegisteredPasskey, RequestForgery, Session } from './driver.js';
import { type ReadOptions, readCreation, readRequest } from './options.js';
import { toGateList } from './profile-schema.js';
import type { ListResult } from './requests.js';
import {
  copyState,
  freshState,
  isSecret,
  listNames,
  newRun,
  newUser,
  type OpenTarget,
  RECOVERY_TOKEN,
  readAnswer,
  runPhase,
  type SessionState,
} from './run-phase.js';
import { matchSignedIn } from './signed-in.js';

/** Where sessions record facts for the driver that opened them. */
export interface Ledger {
  /** Records a session whose user has opened an account. */
  open(state: SessionState): void;
  /** Records a passkey that the target has accepted, with the session that can delete it. */
  note(passkey: RegisteredPasskey, state: SessionState): void;
  /**
   * Returns the target's name for the owner of a passkey, as read right after the owner's account was opened. Undefined if it is unknown.
   */
  identityOf(credentialId: unknown, state: SessionState): unknown;
  /** Returns the number of the user who registered a passkey. If that is not known, returns the number of the session's user. */
  ownerOf(credentialId: unknown, state: SessionState): number;
  /** Records the target's name for the user of a session. Does not replace a name that is already recorded. */
  identify(name: unknown, state: SessionState): void;
}

const NOT_NAMED = 'The response to whoami contains no value for "user", so a login as another user would go unnoticed: correct its "take".';

/** For each list of requests that begins a ceremony, the list that finishes it. */
const FINISHED_BY = { registrationOptions: 'register', authenticationOptions: 'authenticate', stepUp: 'stepUp' } as const;

type Options = PublicKeyCredentialCreationOptionsJSON | PublicKeyCredentialRequestOptionsJSON;
type NewCeremony = Pick<BegunCeremony, 'login' | 'passkey' | 'ask'>;

const honest: RequestForgery = (request) => request;

export function createSession(target: OpenTarget, state: SessionState, ledger: Ledger, forgery = honest): Session {
  /** Requests options, and stores the values that the request finishing the ceremony will need. */
  async function begin<T extends Options>(
    phase: keyof typeof FINISHED_BY,
    fresh: NewCeremony,
    read: (found: unknown) => ReadOptions<T>,
  ): Promise<Begun<T>> {
    const before: BegunCeremony = { ...fresh, taken: {}, rpId: readHost(target.origin), userHandle: undefined };
    state.ceremony = before;
    const cookies = state.jar.sent(state.page.href);
    const result = await runPhase(target, state, phase, {
      ceremony: before,
      registered: fresh.passkey,
      part: phase === 'stepUp' ? 'beginning' : undefined,
    });
    state.ceremony = { ...before, taken: result.taken };
    if (result.outcome !== 'accepted') return { answer: readAnswer(result), options: undefined };
    const takes = target.profile.takes('options', phase);
    const found = read(takes ? result.taken['options'] : result.json);
    if ('problem' in found) {
      const said = `${target.where(result.at ?? `/${phase}`)}: the options cannot be read. ${found.problem}`;
      return { answer: { ...readAnswer(result, found.remarks), outcome: 'failed', said }, options: undefined };
    }
    const { options, remarks } = found;
    // Options that name no user are for the browser that asked for them.
    const recipient = fresh.login === 'discoverable' ? state.jar : state.user.number;
    const given = phase === 'registrationOptions' ? phase : 'authenticationOptions';
    target.challenges.push({ phase: given, recipient, challenge: options.challenge, at: target.now() });
    const token = findToken(options.challenge, {
      now: target.now(),
      variables: Object.entries(result.taken).filter(([name]) => name !== 'options' && target.profile.uses(name, FINISHED_BY[phase])),
      cookies: Object.entries(state.jar.sent(state.page.href)).filter(([name, value]) => cookies[name] !== value),
    });
    const [rpId, userHandle] = isCreation(phase, options) ? [options.rp.id, options.user.id] : [options.rpId, undefined];
    state.ceremony = { ...before, taken: { options, ...result.taken }, rpId: rpId ?? before.rpId, userHandle, token };
    return { answer: readAnswer(result, remarks), options };
  }

  async function finish(phase: 'register' | 'authenticate', credential: unknown): Promise<ListResult> {
    const { ceremony } = state;
    const forging = { ...target, send: (request: Parameters<RequestForgery>[0]) => target.send({ ...forgery(request), once: true }) };
    const result = await runPhase(forging, state, phase, { ceremony, credential, registered: ceremony?.passkey });
    state.taken = { ...state.taken, ...result.taken };
    return result;
  }

  async function askWhoami(): Promise<ListResult | undefined> {
    const { ceremony } = state;
    const result = await runPhase(target, state, 'whoami', { ceremony, registered: ceremony?.passkey });
    return result.made === 0 ? undefined : result;
  }

  /** Checks the response to a login with `whoami`, a second source for who is signed in. */
  async function witnessed(login: ListResult, credentialId: unknown): Promise<Answer> {
    const { visit } = state;
    // Who was signed in before still is after a refusal, and a racing login may have signed another user in.
    const undecided = visit.signedIn || visit.pending > 0;
    if (login.outcome === 'accepted') visit.signedIn = true;
    const silent = login.outcome === 'broken' || login.outcome === 'failed' || (login.outcome === 'refused' && undecided);
    const witness = silent ? undefined : await askWhoami();
    const answer = readAnswer(login);
    if (witness === undefined) return answer;
    if (witness.outcome !== 'accepted' && witness.outcome !== 'refused') {
      const remarks = [`The profile cannot read the response to whoami, which checks the result of the login: ${witness.said}.`];
      return { ...answer, lost: witness.lost, remarks };
    }
    const exchanges = [...login.exchanges, ...witness.exchanges];
    if (witness.outcome !== login.outcome) {
      visit.signedIn = witness.outcome === 'accepted';
      const seen = visit.signedIn ? 'a user is signed in' : 'no user is signed in';
      const remark = `The login was ${login.outcome} (${login.said}), but ${seen} afterwards (whoami: ${witness.said}).`;
      const { outcome, decisive, at } = witness;
      return { ...answer, outcome, said: remark, exchanges, decisive, remarks: [remark], at };
    }
    const [expected, user] = [ledger.identityOf(credentialId, state), witness.special['user']];
    if (login.outcome === 'refused') return answer;
    const signedIn = { user: 'unknown' } as const;
    const isUnnamed = user === undefined && target.profile.takes('user', 'whoami');
    if (isUnnamed) return { ...answer, signedIn, remarks: [...answer.remarks, NOT_NAMED] };
    if (user === undefined) return { ...answer, signedIn };
    if (expected === undefined) return { ...answer, signedIn, unmatched: { name: user, owner: ledger.ownerOf(credentialId, state) } };
    return matchSignedIn({ ...answer, exchanges }, { user, owner: expected });
  }

  /** Compares, after a user entered an account without a passkey, the user who is now signed in with the owner of that account. */
  async function entered(answer: Answer): Promise<Answer> {
    const owner = ledger.identityOf(undefined, state);
    if (answer.outcome !== 'accepted' || owner === undefined) return answer;
    const witness = await askWhoami();
    const user = witness?.outcome === 'accepted' ? witness.special['user'] : undefined;
    if (user === undefined) return answer;
    return { ...answer, signedIn: { user: isDeepStrictEqual(owner, user) ? 'owner' : 'another', known_by: 'whoami' } };
  }

  return {
    user: state.user.number,
    password: state.user.password,
    passkeys: () => state.passkeys,
    beginRegistration: (asks = {}) => begin('registrationOptions', { login: undefined, passkey: undefined, ask: asks }, readCreation),
    async finishRegistration(credential, more = {}) {
      const result = await finish('register', isObject(credential) ? { ...credential, ...more } : credential);
      const { id } = asObject(credential);
      if (result.outcome === 'accepted') state.passkeys += 1;
      if (result.outcome === 'accepted' && typeof id === 'string') ledger.note({ credentialId: id, taken: result.taken }, state);
      return readAnswer(result);
    },
    beginAuthentication: (login: Login, passkey?: RegisteredPasskey, asks: Asks = {}) =>
      begin('authenticationOptions', { login, passkey, ask: asks }, readRequest),
    async finishAuthentication(credential, { witness = true } = {}) {
      const { visit } = state;
      visit.pending += 1;
      const login = await finish('authenticate', credential).finally(() => {
        visit.pending -= 1;
      });
      if (witness) return witnessed(login, asObject(credential)['id']);
      if (login.outcome === 'accepted') visit.signedIn = true;
      return readAnswer(login);
    },
    async whoami() {
      const result = await askWhoami();
      return result && { ...readAnswer(result), user: result.special['user'] };
    },
    identify: (name) => ledger.identify(name, state),
    async list() {
      const result = await runPhase(target, state, 'list');
      const { credentialIds, labels } = result.special;
      return { answer: readAnswer(result), credentialIds: readCredentialIds(credentialIds), labels };
    },
    rename: async (registered, label) => readAnswer(await runPhase(target, state, 'rename', { registered, inputs: { label } })),
    beginStepUp: (passkey) => begin('stepUp', { login: 'named', passkey, ask: {} }, readRequest),
    async enter(action, inputs) {
      const { credential } = inputs ?? {};
      const ceremony = credential && { ceremony: state.ceremony, credential, registered: state.ceremony?.passkey };
      const result = await runPhase(target, state, action, { inputs, part: 'end', ...ceremony });
      if (result.outcome === 'accepted') state.visit.signedIn = true;
      state.taken = { ...state.taken, ...result.taken };
      return action === 'stepUp' ? readAnswer(result) : entered(readAnswer(result));
    },
    async beginRecovery() {
      const result = await runPhase(target, state, 'recover', { part: 'beginning' });
      const { [RECOVERY_TOKEN]: token } = result.taken;
      return { answer: readAnswer(result), token: token === undefined ? undefined : String(token), texts: result.texts.slice(0, -1) };
    },
    async signUp() {
      const result = await runPhase(target, state, 'account');
      state.taken = { ...state.taken, ...result.taken };
      if (result.outcome === 'accepted') ledger.open(state);
      return { answer: readAnswer(result), texts: result.texts };
    },
    remove: async (registered) => readAnswer(await runPhase(target, state, 'remove', { registered })),
    signOut: async () => readAnswer(await runPhase(target, state, 'signOut')),
    async turnGate(name, act) {
      const admin = freshState(state.user, state.account, target.url);
      return readAnswer(await runPhase(target, admin, toGateList(name, act)));
    },
    names() {
      const taken = Object.entries(state.account).filter(([name]) => !isSecret(name));
      return { ...listNames(state.user), ...Object.fromEntries(taken) };
    },
    claiming: (claims) => createSession(target, { ...state, claims }, ledger, forgery),
    forging: (next) => createSession(target, state, ledger, next),
    carried() {
      const { ceremony } = state;
      return ceremony?.token && { ...ceremony, token: ceremony.token };
    },
    carrying({ token, ...ceremony }) {
      const carrying = copyState(state);
      if (token.in === 'cookie') carrying.jar.store(state.page.href, [`${token.name}=${token.text}; Path=/`]);
      const taken = { ...ceremony.taken, ...(token.in === 'variable' && { [token.name]: token.text }) };
      return createSession(target, { ...carrying, ceremony: { ...ceremony, taken, token } }, ledger, forgery);
    },
    cookies: () => ({ list: state.jar.list(state.page.href), isHttps: state.page.protocol === 'https:' }),
    withoutCookie(name) {
      const copy = copyState(state);
      copy.jar.drop(copy.page.href, name);
      return createSession(target, copy, ledger);
    },
    fork: () => createSession(target, { ...copyState(state), visit: state.visit }, ledger),
    newVisit: () => createSession(target, freshState(state.user, state.account, target.url), ledger),
    newStranger() {
      const user = newUser({ ...state.user, name: `passkey-simulate-${newRun()}-${state.user.number}` });
      return createSession(target, freshState(user, {}, target.url), ledger);
    },
    newImpostor() {
      const { email, displayName } = state.user;
      return createSession(target, freshState({ ...newUser(state.user), email, displayName }, {}, target.url), ledger);
    },
  };
}

/** Whether options are creation options. The phase decides too, because a server may send members of creation options for a login. */
function isCreation(phase: string, options: Options): options is PublicKeyCredentialCreationOptionsJSON {
  return phase === 'registrationOptions' && 'rp' in options;
}

/** Reads credential IDs in any variant of base64 and converts them to base64url. */
function readCredentialIds(list: unknown): readonly string[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return list.map((text: unknown) => encodeBase64url(decodeBase64(String(text))?.bytes ?? new Uint8Array()));
}

const readHost = (origin: string): string => new URL(origin).hostname;
