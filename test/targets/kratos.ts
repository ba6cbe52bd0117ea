// A server of the documented shape of Ory Kratos's self-service flows; it is not Kratos. It really verifies.
import { randomBytes, randomUUID } from 'node:crypto';
import { asObject } from '../../src/kernel/json-value.js';
import { type Answer, cookie, forget, json, type Received, redirect, routes, serve, type Target } from './http.js';
import { type CeremonySession, createRelyingParty, type Passkey, Refused, type User } from './relying-party.js';
import { createSessions } from './sessions.js';

export interface KratosSettings {
  /** Whether a sign-up signs in, as the hook `session` has it. */
  readonly sessionAfterRegistration?: boolean;
}

type FlowName = 'registration' | 'login' | 'settings';

/** One self-service flow. It holds the open ceremonies, so that a challenge is good in its flow only. */
interface Flow extends CeremonySession {
  readonly id: string;
  readonly name: FlowName;
  /** The anti-CSRF token of the browser that began the flow. */
  readonly csrfToken: string;
}

interface Message {
  readonly id: number;
  readonly text: string;
  readonly type: 'error';
}

const CSRF_COOKIE = 'csrf_token_0a1b2c';
const SESSION_COOKIE = 'ory_kratos_session';

/** `ui.messages` of what is refused, with the ids of the documentation where it names one. */
const MESSAGES = {
  noStrategy: message(4_000_001, 'Could not find any strategy to sign you up with. Did you choose a method?'),
  wrongPassword: message(4_000_006, 'The provided credentials are invalid.'),
  taken: message(4_000_007, 'An account with the same identifier exists already.'),
  unparsable: message(4_000_001, 'Unable to parse WebAuthn response.'),
  wrongPasskey: message(4_000_008, 'The provided passkey is invalid.'),
} as const;

export function startKratos({ sessionAfterRegistration = true }: KratosSettings = {}): Promise<Target> {
  return serve((url) => {
    const relyingParty = createRelyingParty({
      rpId: 'localhost',
      rpName: 'Ory Kratos',
      origins: [url],
      policy: { residentKey: 'required', algorithms: [-7, -257, -8] },
    });
    const sessions = createSessions<{ user: User | undefined }>(SESSION_COOKIE, () => ({ user: undefined }));
    const flows = new Map<string, Flow>();
    const logouts = new Set<string>();
    const passwords = new Map<string, string>();
    const userOf = (received: Received) => {
      const id = sessions.find(received)?.user?.id;
      return id === undefined ? undefined : relyingParty.userOf(id);
    };

    /** The nodes of a form as it stands now; those of passkeys carry options, so showing them begins a ceremony. */
    async function nodesOf(flow: Flow, user: User | undefined): Promise<unknown[]> {
      const csrf = input('default', 'csrf_token', { type: 'hidden', value: flow.csrfToken, required: true });
      if (flow.name === 'registration') {
        return [csrf, input('default', 'traits.email', { type: 'email', required: true }), ...passwordNodes()];
      }
      if (flow.name === 'login') {
        const publicKey = await relyingParty.requestOptions(flow);
        return [
          csrf,
          input('default', 'identifier', { type: 'text', value: '', required: true, autocomplete: 'username webauthn' }),
          input('passkey', 'passkey_challenge', { type: 'hidden', value: JSON.stringify({ publicKey }) }),
          input('passkey', 'passkey_login', { type: 'hidden' }),
          input('passkey', 'passkey_login_trigger', { type: 'button', value: '', onclickTrigger: 'oryPasskeyLogin' }),
          ...passwordNodes(),
        ];
      }
      if (user === undefined) return [csrf];
      const asked = {
        authenticatorSelection: { authenticatorAttachment: 'platform', residentKey: 'required', requireResidentKey: true },
      } as const;
      const publicKey = await relyingParty.creationOptions(flow, user, asked);
      const removals = relyingParty
        .passkeysOf(user)
        .map((passkey) => input('passkey', 'passkey_remove', { type: 'submit', value: hexIdOf(passkey) }));
      return [
        csrf,
        ...removals,
        input('passkey', 'passkey_register_trigger', { type: 'button', value: '', onclickTrigger: 'oryPasskeySettingsRegistration' }),
        input('passkey', 'passkey_settings_register', { type: 'hidden' }),
        input('passkey', 'passkey_create_data', { type: 'hidden', value: JSON.stringify({ publicKey }) }),
      ];
    }

    async function show(flow: Flow, received: Received, refused?: Message, more: object = {}): Promise<Answer> {
      const action = `${url}/self-service/${flow.name}?flow=${flow.id}`;
      const messages = refused === undefined ? [] : [refused];
      const nodes = await nodesOf(flow, userOf(received));
      const ui = { action, method: 'POST', nodes, messages };
      return json(refused === undefined ? 200 : 400, { id: flow.id, type: 'browser', state: 'show_form', ui, ...more });
    }

    function begin(name: FlowName): (received: Received) => Promise<Answer> | Answer {
      return async (received) => {
        const user = userOf(received);
        if (name === 'settings' && user === undefined) {
          return failed(401, 'No active session was found in this request.', 'session_inactive');
        }
        if (name !== 'settings' && user !== undefined) return failed(400, 'You are signed in already.', 'session_already_available');
        const csrfToken = received.cookies.get(CSRF_COOKIE) ?? randomBytes(32).toString('base64');
        const flow: Flow = { id: randomUUID(), name, csrfToken };
        flows.set(flow.id, flow);
        const headers = { 'set-cookie': cookie(CSRF_COOKIE, csrfToken) };
        if (!wantsJson(received)) return redirect(`${url}/ui/${name}?flow=${flow.id}`, headers, 303);
        const answer = await show(flow, received);
        return { ...answer, headers: { ...answer.headers, ...headers } };
      };
    }

    function signedIn(received: Received, user: User): Answer {
      const { state, headers } = sessions.open(received);
      state.user = user;
      return json(200, { session: sessionOf(user), identity: identityOf(user) }, headers);
    }

    function submitRegistration(flow: Flow, received: Received): Promise<Answer> | Answer {
      const { method, password, traits } = asObject(received.body);
      const { email } = asObject(traits);
      if (method !== 'password' || typeof password !== 'string' || typeof email !== 'string') {
        return show(flow, received, MESSAGES.noStrategy);
      }
      if (relyingParty.findUser(email) !== undefined) return show(flow, received, MESSAGES.taken);
      const user = relyingParty.addUser(email);
      passwords.set(user.id, password);
      return sessionAfterRegistration ? signedIn(received, user) : json(200, { identity: identityOf(user) });
    }

    async function submitLogin(flow: Flow, received: Received): Promise<Answer> {
      const { method, passkey_login: response, identifier, password } = asObject(received.body);
      if (method === 'password') {
        const user = relyingParty.findUser(String(identifier));
        if (user === undefined || passwords.get(user.id) !== password) return await show(flow, received, MESSAGES.wrongPassword);
        return signedIn(received, user);
      }
      const credential = parse(response);
      if (credential === undefined) return await show(flow, received, MESSAGES.unparsable);
      try {
        return signedIn(received, (await relyingParty.authenticate(flow, credential)).user);
      } catch (error) {
        if (error instanceof Refused) return await show(flow, received, MESSAGES.wrongPasskey);
        throw error;
      }
    }

    async function submitSettings(flow: Flow, received: Received): Promise<Answer> {
      const user = userOf(received);
      if (user === undefined) return failed(401, 'No active session was found in this request.', 'session_inactive');
      const { passkey_settings_register: response, passkey_remove: remove } = asObject(received.body);
      if (typeof remove === 'string') {
        const passkey = relyingParty.passkeysOf(user).find((one) => hexIdOf(one) === remove);
        if (passkey === undefined) return failed(400, 'You tried to remove a passkey which does not exist.');
        relyingParty.removePasskey(passkey);
        return await show(flow, received, undefined, { state: 'success' });
      }
      const credential = parse(response);
      if (credential === undefined) return await show(flow, received, MESSAGES.unparsable);
      try {
        await relyingParty.register(flow, credential);
        return await show(flow, received, undefined, { state: 'success' });
      } catch (error) {
        // As in the original: a registration that does not verify is answered as an error of the server.
        if (error instanceof Refused) return failed(500, `Unable to create WebAuthn credential: ${error.message}`);
        throw error;
      }
    }

    function submit(name: FlowName, act: (flow: Flow, received: Received) => Promise<Answer> | Answer) {
      return async (received: Received): Promise<Answer> => {
        const flow = flows.get(received.query.get('flow') ?? '');
        if (flow?.name !== name) return failed(404, 'The requested flow could not be found.');
        const { csrf_token: csrfToken } = asObject(received.body);
        const isOurs = csrfToken === flow.csrfToken && received.cookies.get(CSRF_COOKIE) === flow.csrfToken;
        return isOurs ? await act(flow, received) : failed(403, 'The anti-CSRF token is missing or wrong.', 'security_csrf_violation');
      };
    }

    return routes({
      'GET /self-service/registration/browser': begin('registration'),
      'POST /self-service/registration': submit('registration', submitRegistration),
      'GET /self-service/login/browser': begin('login'),
      'POST /self-service/login': submit('login', submitLogin),
      'GET /self-service/settings/browser': begin('settings'),
      'POST /self-service/settings': submit('settings', submitSettings),
      'GET /sessions/whoami'(received) {
        const user = userOf(received);
        return user === undefined ? failed(401, 'No valid session credentials found in the request.') : json(200, sessionOf(user));
      },
      'GET /self-service/logout/browser'(received) {
        if (userOf(received) === undefined) return failed(401, 'No active session was found in this request.', 'session_inactive');
        const token = randomUUID();
        logouts.add(token);
        return json(200, { logout_url: `${url}/self-service/logout?token=${token}`, logout_token: token });
      },
      'GET /self-service/logout'(received) {
        if (!logouts.delete(received.query.get('token') ?? '')) return failed(403, 'The logout token is missing or wrong.');
        sessions.end(received);
        return { status: 204, headers: { 'set-cookie': forget(SESSION_COOKIE) }, body: '' };
      },
      // Of the admin API, which the original serves on another port.
      'DELETE /admin/identities/:id'({ params: { id = '' } }) {
        const user = relyingParty.userOf(id);
        if (user === undefined) return failed(404, 'Unable to locate the resource.');
        relyingParty.removeUser(user);
        return { status: 204, headers: {}, body: '' };
      },
    });
  });
}

function message(id: number, text: string): Message {
  return { id, text, type: 'error' };
}

function passwordNodes(): unknown[] {
  return [
    input('password', 'password', { type: 'password', required: true }),
    input('password', 'method', { type: 'submit', value: 'password' }),
  ];
}

function input(group: string, name: string, attributes: object): unknown {
  return { type: 'input', group, attributes: { name, disabled: false, node_type: 'input', ...attributes }, messages: [], meta: {} };
}

function identityOf(user: User): unknown {
  return { id: user.id, schema_id: 'default', state: 'active', traits: { email: user.name } };
}

function sessionOf(user: User): unknown {
  return { id: randomUUID(), active: true, authenticator_assurance_level: 'aal1', identity: identityOf(user) };
}

function failed(code: number, reason: string, id?: string): Answer {
  return json(code, { error: { ...(id !== undefined && { id }), code, status: String(code), reason, message: reason } });
}

function hexIdOf({ credential }: Passkey): string {
  return Buffer.from(credential.id, 'base64url').toString('hex');
}

function wantsJson({ headers }: Received): boolean {
  return headers.accept?.includes('application/json') ?? false;
}

/** The credential, which is sent as JSON in a text. */
function parse(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
