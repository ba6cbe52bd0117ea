import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { Accounts } from './accounts.js';
import { findPasskey, idOf, verifyAuthentication } from './authentication.js';
import { toBase64url } from './bytes.js';
import { Ceremonies, type Ceremony } from './ceremonies.js';
import { readClientData } from './client-data.js';
import { ALGORITHMS } from './cose.js';
import { checkRawId, checkTransports, readCredential } from './credential.js';
import type { FaultId } from './faults.js';
import { hostOf } from './origin.js';
import { check, type Party, refuse } from './party.js';
import { verifyRegistration } from './registration.js';
import { bytesOf, COOKIE, choiceOf, credentialsOf, type Json, type PartyRequest, textOf } from './request.js';
import { handleOf, type Passkey, Store, type User } from './store.js';
import { COOKIE_OF_TOKEN, HEADER_OF_TOKEN } from './tokens.js';

export interface Routed {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json | readonly Json[];
}

/** One request with its JSON body and the parameter of its path. */
export interface Call extends PartyRequest {
  readonly json: Json;
  readonly parameter: string;
}

const REQUIREMENTS = ['required', 'preferred', 'discouraged'];
const CONVEYANCES = ['none', 'indirect', 'direct', 'enterprise'];

/** With these a passkey belongs to the user whom the ceremony was begun for. */
const OF_CEREMONY: readonly FaultId[] = ['owner-of-latest-registration', 'user-of-body', 'signed-out-registers'];

const takesNone = ({ formats = ['none'] }: Party['policy']): boolean => formats.includes('none');

/** The ceremonies and the passkeys of one relying party. */
export class Routes {
  readonly #party: Party;
  readonly #ownOrigin: () => string;
  readonly #ceremonies: Ceremonies;
  readonly store: Store;
  readonly accounts: Accounts;

  constructor(party: Party, ownOrigin: () => string) {
    this.#party = party;
    this.#ownOrigin = ownOrigin;
    this.#ceremonies = new Ceremonies(party);
    this.store = new Store(party);
    this.accounts = new Accounts(party, this.store);
  }

  registerOptions(call: Call): Routed {
    const { json } = call;
    const user = this.#named('user-of-body', json['user'], this.#registering(call));
    const name = textOf(json, 'app_name', this.#party);
    const { rpId, origin } = toScope(textOf(json, 'app_url', this.#party));
    const algorithms = readAlgorithms(json['algorithms']) ?? this.#party.policy.algorithms;
    const attestation = choiceOf(json, 'attestation', CONVEYANCES, takesNone(this.#party.policy) ? 'none' : 'direct');
    const userVerification = choiceOf(json, 'user_verification', REQUIREMENTS, 'preferred');
    const residentKey = choiceOf(json, 'resident_key', REQUIREMENTS, 'preferred');
    const ceremony = this.#ceremonies.begin({ kind: 'create', rpId, origin, userId: user.id, userVerification, algorithms, attestation });
    return {
      ...this.#keeping(ceremony),
      body: {
        ...this.#tokenOf(ceremony),
        challenge: ceremony.challenge,
        rp: { name, id: rpId },
        user: { id: this.#handleFor(user), name: user.email, displayName: user.name },
        pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
        timeout: 60_000,
        attestation,
        authenticatorSelection: { residentKey, userVerification },
        ...this.#excluding(user, rpId),
      },
    };
  }

  async register(call: Call): Promise<Routed> {
    const user = this.#named('user-of-header', call.headers?.['x-user'], this.#registering(call));
    const { json } = call;
    const party = this.#party;
    const label = json['label'] ?? 'Passkey';
    check(typeof label === 'string' && label.length <= 255, 'member_unfit', '"label" is no text of at most 255 characters.');
    const credential = readCredential(json, party);
    checkRawId(credential, party);
    checkTransports(credential, party);
    const client = readClientData(bytesOf(credential.response, 'clientDataJSON', party), party);
    const ceremony = this.#ceremonies.take(client.challenge, { kind: 'create', userId: user.id }, this.#tokenIn(call));
    await this.#hesitate();
    const verified = verifyRegistration(
      { credential, client, ceremony: this.#asNamed(ceremony, call), header: call.headers?.['origin'] },
      party,
    );
    const first = this.store.live(user.id).length === 0 || !party.faults.has('second-passkey-refused');
    check(first, 'one_is_enough', 'There is a passkey already.', 409);
    const ofCeremony = OF_CEREMONY.some((fault) => party.faults.has(fault));
    const ceremonys = ofCeremony ? ceremony.userId : undefined;
    const latest = party.faults.has('owner-of-latest-login') ? this.store.latestUser : undefined;
    const userId = ceremonys ?? latest ?? user.id;
    const passkey = this.store.insert({ ...verified, userId, label });
    this.#ceremonies.spend(ceremony);
    const { session } = credentialsOf(call);
    const { latestUser } = this.store;
    if (party.faults.has('registration-signs-in-latest') && latestUser !== undefined) this.store.openSession(latestUser, { session });
    return { body: { passkey: toJson(passkey) } };
  }

  verifyOptions(call: Call): Routed {
    const { json } = call;
    const passkey = this.store.byCredentialId(bytesOf(json, 'credential_id', this.#party));
    if (passkey === undefined) refuse('no_such_passkey', 'There is no such passkey.', 404);
    const { rpId, origin, credentialId, userId } = passkey;
    const ceremony = this.#beginGet(json, { rpId, origin, credentialId: idOf(credentialId), userId, isNamed: true });
    const { challenge, userVerification } = ceremony;
    const body = { ...this.#tokenOf(ceremony), challenge, allowCredentials: [descriptor(passkey)], timeout: 60_000, userVerification };
    return { headers: this.#anonymous(call), ...this.#keeping(ceremony), body };
  }

  loginOptions({ json, headers }: Call, isNamed = false): Routed {
    const given = json['app_url'] === undefined ? undefined : textOf(json, 'app_url', this.#party);
    const own = this.#ownOrigin();
    const header = [own, ...(this.#party.policy.origins ?? [])].find((one) => one === headers?.['origin']);
    const { rpId, origin } = toScope(given ?? header ?? own);
    const ceremony = this.#beginGet(json, { rpId, origin, isNamed });
    const { challenge, userVerification } = ceremony;
    const all = this.#party.faults.has('allow-list-of-all') ? { allowCredentials: this.store.everybodys(rpId).map(descriptor) } : {};
    const body = { ...this.#tokenOf(ceremony), challenge, rpId, timeout: 60_000, userVerification, ...all };
    return { ...this.#keeping(ceremony), body };
  }

  async verify(call: Call): Promise<Routed> {
    const { passkey } = await this.#authenticate(call);
    this.store.checkGates(passkey.userId, 'gate-unchecked-at-verify');
    return { body: { passkeeable_id: this.#signedIn(passkey, call), passkeeable_type: 'User', passkey: { id: passkey.id } } };
  }

  async login(call: Call): Promise<Routed> {
    const { passkey, ceremony } = await this.#authenticate(call);
    const userId = this.#signedIn(passkey, call);
    const isChecked = ceremony.isNamed === true || !this.#party.faults.has('gate-unchecked-without-name');
    if (isChecked && !this.#party.faults.has('gate-checked-in-options')) this.store.checkGates(userId, 'gate-unchecked-at-login');
    const { session: open } = credentialsOf(call);
    const staysOpen = this.#party.faults.has('login-keeps-old-user') && this.store.isOpen(open);
    if (staysOpen) return { body: { user: { ...this.store.user(userId) } } };
    const kept = this.#party.faults.has('session-kept-at-login') ? open : undefined;
    const headers = toCookie(this.store.openSession(userId, { ...(!passkey.removed && { passkey }), by: 'passkey', session: kept }));
    return { headers, body: { user: { ...this.store.user(userId) } } };
  }

  /** Login options for an address. */
  accountOptions(call: Call): Routed {
    const { body } = this.loginOptions(call, true);
    const user = this.store.byEmail(textOf(call.json, 'email', this.#party));
    if (user !== undefined && this.#party.faults.has('gate-checked-in-options')) this.store.checkGates(user.id, 'gate-unchecked-at-login');
    const allowCredentials = this.accounts.descriptors(textOf(call.json, 'email', this.#party));
    const listed = allowCredentials.length > 0 ? { allowCredentials } : {};
    const known = this.store.byEmail(textOf(call.json, 'email', this.#party)) !== undefined;
    return { body: known || !this.#party.faults.has('unknown-user-members-reordered') ? { ...body, ...listed } : { ...listed, ...body } };
  }

  async openAccount({ json }: Call): Promise<Routed> {
    const { session, code } = await this.accounts.open(json);
    return { ...(session !== undefined && { headers: toCookie(session) }), body: code === undefined ? {} : { recovery: code } };
  }

  enterPassword({ json }: Call): Routed {
    return { headers: toCookie(this.accounts.enterPassword(json)), body: {} };
  }

  /** Options for the user of the session, who steps up with a passkey. */
  stepUpOptions(call: Call): Routed {
    const user = this.#user(call);
    const { rpId, origin } = toScope(this.#ownOrigin());
    const json = { user_verification: this.#party.policy.stepUpVerification ?? 'required' };
    const ceremony = this.#beginGet(json, { rpId, origin, userId: user.id, isNamed: true, purpose: 'step-up' });
    const { challenge, userVerification } = ceremony;
    const allowCredentials = this.store.live(user.id, rpId).map(descriptor);
    return { body: { challenge, rpId, allowCredentials, timeout: 60_000, userVerification } };
  }

  async stepUp(call: Call): Promise<Routed> {
    const user = this.#user(call);
    const { session } = credentialsOf(call);
    if (this.#party.policy.stepsUpBy !== 'passkey') {
      this.accounts.stepUp(user, session, call.json);
      return { status: 204 };
    }
    const { passkey } = await this.#authenticate(call, 'step-up');
    const own = passkey.userId === user.id || this.#party.faults.has('step-up-of-any-user');
    check(own, 'user_unknown', 'This is the passkey of another user.', 403);
    this.store.refresh(session, user.id);
    return { status: 204 };
  }

  beginRecovery({ json }: Call): Routed {
    return { status: 202, body: this.accounts.beginRecovery(json) };
  }

  letter({ parameter }: Call): Routed {
    return { body: this.accounts.letter(decodeURIComponent(parameter)) };
  }

  async endRecovery({ json }: Call): Promise<Routed> {
    return { headers: toCookie(await this.accounts.endRecovery(json)), body: {} };
  }

  /** An administrator closes an account by one of several states, or opens it again; who they are is not looked at here. */
  turnGate({ json }: Call): Routed {
    const user = this.store.userByToken(json['user']) ?? this.store.byEmail(textOf(json, 'user', this.#party));
    if (user === undefined) refuse('no_such_user', 'There is no such user.', 404);
    const gate = textOf(json, 'gate', this.#party);
    if (json['set'] === true) this.store.gatesOf(user.id).add(gate);
    else this.store.gatesOf(user.id).delete(gate);
    if (json['set'] === true && !this.#party.faults.has('gate-keeps-sessions')) this.store.endSessions(user.id);
    return { status: 204 };
  }

  /** Signs in without a passkey. */
  openSession(call: Call): Routed {
    const user = this.store.userOf(credentialsOf(call).token, undefined);
    return { headers: toCookie(this.store.openSession(user.id)), body: {} };
  }

  session(call: Call): Routed {
    return { body: { user: { ...this.#user(call) } } };
  }

  endSession(call: Call): Routed {
    this.#user(call);
    this.store.endSession(credentialsOf(call).session);
    return { status: 204 };
  }

  passkeys(call: Call): Routed {
    return { body: this.store.live(this.#user(call).id).map(toJson) };
  }

  relabel(call: Call): Routed {
    const named = new URL(call.path, this.#ownOrigin()).searchParams.get('user');
    const user = this.#named('user-of-query-at-rename', named, this.#user(call));
    const passkey = this.store.own(user.id, Number(call.parameter), 'renamed');
    passkey.label = textOf(call.json, 'label', this.#party);
    return { body: { passkey: toJson(passkey) } };
  }

  async remove(call: Call): Promise<Routed> {
    const { faults, policy } = this.#party;
    const anybody = faults.has('signed-out-removes');
    const query = new URL(call.path, this.#ownOrigin()).searchParams;
    const userId = anybody ? 0 : this.#named('user-of-query', query.get('user'), this.#user(call)).id;
    const passkey = anybody ? this.store.any(Number(call.parameter)) : this.store.own(userId, Number(call.parameter), 'removed');
    this.store.checkChange(credentialsOf(call).session, 'remove');
    if (faults.has('removal-at-once-crashes')) await setTimeout(20);
    if (faults.has('removal-at-once-crashes') && passkey.removed) throw new TypeError('Cannot read properties of undefined');
    const kept = policy.lastPasskey === 'kept' && !faults.has('last-passkey-removed');
    check(!kept || this.store.live(passkey.userId).length > 1, 'last_passkey', 'This is your last passkey.', 409);
    if (faults.has('last-passkeys-at-once')) await setTimeout(20);
    passkey.removed = true;
    return { status: 204 };
  }

  async #authenticate(call: Call, purpose?: 'step-up'): Promise<{ readonly passkey: Passkey; readonly ceremony: Ceremony }> {
    const party = this.#party;
    const credential = readCredential(call.json, party);
    const { store } = this;
    const find = { byId: (id: Uint8Array) => store.byCredentialId(id), ofHandle: (handle: string) => store.ofHandle(handle) };
    const passkey = findPasskey(credential, find, party);
    checkRawId(credential, party);
    const client = readClientData(bytesOf(credential.response, 'clientDataJSON', party), party);
    const answerer = {
      kind: 'get',
      credentialId: idOf(passkey.credentialId),
      userId: passkey.userId,
      ...(purpose && { purpose }),
    } as const;
    const ceremony = this.#ceremonies.take(client.challenge, answerer, this.#tokenIn(call));
    const anyway = party.faults.has('removed-passkey-accepted') || party.faults.has('step-up-with-removed-passkey');
    const isLive = !passkey.removed || anyway || ceremony.isNamed !== true;
    check(isLive, 'no_such_passkey', 'There is no such passkey.', 404);
    await this.#hesitate();
    const others = store.live(passkey.userId).filter((one) => one !== passkey);
    verifyAuthentication(
      { credential, passkey, others, client, ceremony: this.#asNamed(ceremony, call), header: call.headers?.['origin'] },
      party,
    );
    this.#ceremonies.spend(ceremony);
    return { passkey, ceremony };
  }

  /** Who the passkey belongs to. */
  #signedIn(passkey: Passkey, { json, headers }: Call): number {
    const owner = this.#named('user-of-header-at-login', headers?.['x-user'], this.store.user(passkey.userId));
    if (owner !== undefined && owner.id !== passkey.userId) return owner.id;
    if (!this.#party.faults.has('user-from-user-handle')) return passkey.userId;
    const { userHandle } = { userHandle: undefined, ...Object(json['response']) } satisfies Json;
    return this.store.byHandle(userHandle)?.id ?? passkey.userId;
  }

  #beginGet(json: Json, scope: Pick<Ceremony, 'rpId' | 'origin' | 'credentialId' | 'userId' | 'isNamed' | 'purpose'>): Ceremony {
    const userVerification = choiceOf(json, 'user_verification', REQUIREMENTS, 'preferred');
    return this.#ceremonies.begin({ kind: 'get', ...scope, userVerification, algorithms: [], attestation: 'none' });
  }

  #tokenOf({ token }: Ceremony): Json {
    return this.#party.policy.challenges === 'token' ? { token } : {};
  }

  #keeping({ token }: Ceremony): Pick<Routed, 'headers'> {
    const cookie = `${COOKIE_OF_TOKEN}=${token}; HttpOnly; SameSite=Strict; Path=/`;
    return this.#party.policy.challenges === 'cookie' ? { headers: { 'set-cookie': cookie } } : {};
  }

  #tokenIn({ headers = {} }: Call): string | undefined {
    const cookies = (headers['cookie'] ?? '').split('; ').find((pair) => pair.startsWith(`${COOKIE_OF_TOKEN}=`));
    return headers[HEADER_OF_TOKEN] ?? cookies?.slice(COOKIE_OF_TOKEN.length + 1);
  }

  /** What a look-up in a database is between the challenge and its end. */
  async #hesitate(): Promise<void> {
    if (this.#party.faults.has('challenge-spent-late')) await setTimeout(20);
  }

  #user(call: Call) {
    const { token, session } = credentialsOf(call);
    return this.store.userOf(token, session);
  }

  /** The user whom a request names, with this fault, else the one of the session. */
  #named<Own extends User | undefined>(fault: FaultId, email: unknown, own: Own): User | Own {
    return this.#party.faults.has(fault) && typeof email === 'string' ? (this.store.byEmail(email) ?? own) : own;
  }

  /** Whose registration it is. */
  #registering(call: Call) {
    const { token, session } = credentialsOf(call);
    if (this.#party.policy.registersBy === 'token') {
      const user = this.store.userOf(token, undefined);
      this.store.checkGates(user.id, 'gate-unchecked-at-registration');
      return user;
    }
    if (this.#party.faults.has('signed-out-registers') && session === undefined) return this.#visitor(call);
    this.store.checkChange(session, 'add');
    const latest = this.#party.faults.has('signed-out-is-latest-user') && session === undefined ? this.store.latestUser : undefined;
    return this.store.user(latest) ?? this.store.userOf(token, session);
  }

  /** A ceremony as the request describes it, with these faults. */
  #asNamed(ceremony: Ceremony, { headers = {}, json }: Call): Ceremony {
    const { faults } = this.#party;
    const { origin, rpId } = json;
    const host = headers['x-forwarded-host'];
    const page = headers['referer'] === undefined ? undefined : new URL(headers['referer']);
    if (faults.has('origin-from-body') && typeof origin === 'string') return { ...ceremony, origin };
    if (faults.has('rp-id-from-body') && typeof rpId === 'string') return { ...ceremony, rpId };
    if (faults.has('rp-id-from-forwarded-host') && host !== undefined) return { ...ceremony, rpId: host };
    return faults.has('site-from-referer') && page ? { ...ceremony, origin: page.origin, rpId: page.hostname } : ceremony;
  }

  #excluding(user: User, rpId: string): Json {
    const { faults } = this.#party;
    if (faults.has('exclude-list-omitted')) return {};
    const passkeys = faults.has('exclude-list-of-all') ? this.store.everybodys(rpId) : this.store.live(user.id, rpId);
    const empty = faults.has('exclude-list-with-empty') ? [{ id: '', type: 'public-key' }] : [];
    const excluded = [...passkeys.map(descriptor), ...empty];
    return excluded.length > 0 ? { excludeCredentials: excluded } : {};
  }

  #handleFor(user: User): string {
    const handle = handleOf(user.id, this.#party);
    if (!this.#party.faults.has('user-handle-changing')) return handle;
    return toBase64url(Buffer.concat([Buffer.from(handle, 'base64url'), Buffer.from(`.${randomBytes(9).toString('hex')}`)]));
  }

  /** The user whom a visitor names, without proof. */
  #visitor({ json }: Call): User {
    return this.store.byEmail(String(json['user'])) ?? this.store.user(1) ?? refuse('no_such_user', 'There is no such user.', 404);
  }

  /** The session of a visitor, from before a login, in a server that keeps it. */
  #anonymous(call: Call): NonNullable<Routed['headers']> {
    const wanted = this.#party.faults.has('session-kept-at-login') && credentialsOf(call).session === undefined;
    return wanted ? toCookie(randomBytes(24).toString('hex')) : {};
  }
}

const toCookie = (session: string) => ({ 'set-cookie': `${COOKIE}=${session}; HttpOnly; SameSite=Lax; Path=/` });

const descriptor = ({ credentialId, transports }: Passkey): Json => ({
  id: toBase64url(credentialId),
  type: 'public-key',
  ...(transports && { transports }),
});

const toJson = ({ id, label, credentialId, createdAt }: Passkey): Json => ({
  id,
  label,
  credential_id: Buffer.from(credentialId).toString('base64'),
  created_at: new Date(createdAt).toISOString().replace('Z', '000Z'),
});

function toScope(appUrl: string): { readonly rpId: string; readonly origin: string } {
  const rpId = hostOf(appUrl);
  check(rpId !== undefined && /^https?:/i.test(appUrl), 'member_unfit', '"app_url" is no absolute http or https URL.');
  const address = isIP(rpId.replace(/^\[|\]$/g, '')) !== 0;
  check(!address || /^127\.|^\[::1\]$/.test(rpId), 'member_unfit', 'An IP address is no RP ID.');
  return { rpId, origin: new URL(appUrl).origin };
}

function readAlgorithms(list: unknown): number[] | undefined {
  if (list === undefined) return undefined;
  const known = Array.isArray(list) && list.length > 0 && list.every((alg: unknown) => ALGORITHMS.some((one) => one === alg));
  return known ? list.map(Number) : refuse('member_unfit', `"algorithms" is a list of ${ALGORITHMS.join(', ')}.`);
}
