// A server of the documented shape of Hanko's flow API; it is not Hanko. It really verifies.
import { randomBytes, randomUUID } from 'node:crypto';
import { asObject, isObject } from '../../src/kernel/json-value.js';
import { type Answer, forget, json, type Received, routes, serve, type Target } from './http.js';
import { type CeremonySession, createRelyingParty, Refused, type User } from './relying-party.js';
import { createSessions } from './sessions.js';

export interface HankoFlowSettings {
  /** Whether a sign-up must give the code that is sent to its e-mail. */
  readonly verification?: boolean;
}

type FlowName = 'registration' | 'login' | 'profile';

/** One run of a flow. It holds the open ceremonies, so that a challenge is good in its flow only. */
interface Flow extends CeremonySession {
  readonly id: string;
  readonly name: FlowName;
  state: string;
  csrfToken: string;
  email: string;
}

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly status: number;
}

/** What an action came to: the next state, and what went wrong, if anything did. */
interface Step {
  readonly state: string;
  readonly payload?: unknown;
  readonly failure?: Failure;
  readonly headers?: Answer['headers'];
}

type Action = (flow: Flow, input: Readonly<Record<string, unknown>>, received: Received) => Step | Promise<Step>;

const INVALID_PASSKEY = { code: 'passkey_invalid', message: 'The passkey is invalid.', status: 401 };
const INVALID_FORM = { code: 'form_data_invalid_error', message: 'Form data invalid.', status: 400 };
const NOT_PERMITTED = { code: 'operation_not_permitted_error', message: 'The operation is not permitted.', status: 403 };
const TECHNICAL = { code: 'technical_error', message: 'Something went wrong.', status: 500 };
const UNAUTHORIZED = { code: 'unauthorized', message: 'The session is invalid.', status: 401 };

/** The first state after the preflight of each flow. */
const INITIAL: Readonly<Record<FlowName, string>> = { registration: 'registration_init', login: 'login_init', profile: 'profile_init' };

export function startHankoFlow({ verification = false }: HankoFlowSettings = {}): Promise<Target> {
  return serve((url) => {
    const codes = new Map<string, string>();
    const relyingParty = createRelyingParty({
      rpId: 'localhost',
      rpName: 'Hanko Authentication Service',
      origins: [url],
      policy: { residentKey: 'required', algorithms: [-7, -257, -8] },
    });
    const sessions = createSessions<{ user: User | undefined }>('hanko', () => ({ user: undefined }));
    const flows = new Map<string, Flow>();
    const userOf = (received: Received) => {
      const id = sessions.find(received)?.user?.id;
      return id === undefined ? undefined : relyingParty.userOf(id);
    };

    const profileOf = (user: User | undefined) =>
      user && { user: { user_id: user.id, passkeys: relyingParty.passkeysOf(user).map(({ credential }) => ({ id: credential.id })) } };

    function signIn(received: Received, user: User): Step {
      const { state, headers } = sessions.open(received);
      state.user = user;
      return { state: 'success', payload: { user: { user_id: user.id, emails: [{ address: user.name, is_primary: true }] } }, headers };
    }

    /** The actions of each state, named as in the flow API. */
    const states: Readonly<Record<string, Readonly<Record<string, Action>>>> = {
      preflight: {
        register_client_capabilities: (flow, input, received) =>
          typeof input['webauthn_available'] === 'boolean'
            ? { state: INITIAL[flow.name], payload: flow.name === 'profile' ? profileOf(userOf(received)) : undefined }
            : { state: 'preflight', failure: INVALID_FORM },
      },
      registration_init: {
        register_login_identifier(flow, { email }) {
          if (typeof email !== 'string' || !email.includes('@')) return { state: flow.state, failure: INVALID_FORM };
          if (relyingParty.findUser(email) !== undefined) return { state: flow.state, failure: INVALID_FORM };
          flow.email = email;
          if (!verification) return { state: 'onboarding_create_passkey' };
          codes.set(email, String(randomBytes(4).readUInt32BE() % 1_000_000).padStart(6, '0'));
          return { state: 'passcode_confirmation' };
        },
      },
      passcode_confirmation: {
        verify_passcode: (flow, { code }) =>
          code === codes.get(flow.email)
            ? { state: 'onboarding_create_passkey' }
            : { state: flow.state, failure: { code: 'passcode_invalid', message: 'The passcode is invalid.', status: 401 } },
      },
      onboarding_create_passkey: { skip: () => ({ state: 'password_creation' }) },
      password_creation: {
        register_password(flow, { new_password: password }, received) {
          if (typeof password !== 'string' || password.length < 8) return { state: flow.state, failure: INVALID_FORM };
          return signIn(received, relyingParty.addUser(flow.email));
        },
      },
      login_init: {
        async webauthn_generate_request_options(flow) {
          const options = await relyingParty.requestOptions(flow);
          return { state: 'login_passkey', payload: { request_options: { publicKey: options } } };
        },
      },
      login_passkey: {
        async webauthn_verify_assertion_response(flow, { assertion_response: response }, received) {
          if (response === undefined) return { state: flow.state, failure: INVALID_FORM };
          try {
            return signIn(received, (await relyingParty.authenticate(flow, response)).user);
          } catch (error) {
            return refusal(error, flow.state);
          }
        },
        back: () => ({ state: 'login_init' }),
      },
      profile_init: {
        async webauthn_credential_create(flow, _input, received) {
          const user = userOf(received);
          if (user === undefined) return { state: 'error', failure: NOT_PERMITTED };
          const options = await relyingParty.creationOptions(flow, user);
          return { state: 'webauthn_credential_verification', payload: { creation_options: { publicKey: options } } };
        },
        webauthn_credential_delete(_flow, { passkey_id: id }, received) {
          const user = userOf(received);
          const passkey = user && relyingParty.passkeysOf(user).find(({ credential }) => credential.id === id);
          if (passkey !== undefined) relyingParty.removePasskey(passkey);
          return { state: 'profile_init', payload: profileOf(user), ...(passkey === undefined && { failure: INVALID_FORM }) };
        },
        account_delete(_flow, _input, received) {
          const user = userOf(received);
          if (user === undefined) return { state: 'error', failure: NOT_PERMITTED };
          relyingParty.removeUser(user);
          sessions.end(received);
          return { state: 'account_deleted', headers: { 'set-cookie': forget('hanko') } };
        },
      },
      webauthn_credential_verification: {
        async webauthn_verify_attestation_response(flow, { public_key: credential }) {
          if (credential === undefined) return { state: flow.state, failure: INVALID_FORM };
          // As in the original: a credential that cannot be parsed is an error of the server.
          if (!isParsable(credential)) return { state: 'error', failure: TECHNICAL };
          try {
            await relyingParty.register(flow, credential);
            return { state: 'profile_init' };
          } catch (error) {
            return refusal(error, 'profile_init');
          }
        },
        back: () => ({ state: 'profile_init' }),
      },
    };

    function respond(flow: Flow, { state, payload, failure, headers = {} }: Step): Answer {
      flow.state = state;
      flow.csrfToken = randomBytes(16).toString('hex');
      const status = failure?.status ?? 200;
      const offered = Object.keys(states[state] ?? {}).map((action) => [action, describe(flow, action)] as const);
      const body = {
        name: state,
        status,
        ...(payload !== undefined && { payload }),
        csrf_token: flow.csrfToken,
        actions: Object.fromEntries(offered),
        ...(failure && { error: { code: failure.code, message: failure.message } }),
        links: [],
      };
      return json(status, body, headers);
    }

    async function run(name: FlowName, received: Received): Promise<Answer> {
      if (name === 'profile' && userOf(received) === undefined) return failed(UNAUTHORIZED);
      const asked = received.query.get('action');
      if (asked === null) {
        const flow: Flow = { id: randomUUID(), name, state: 'preflight', csrfToken: '', email: '' };
        flows.set(flow.id, flow);
        return respond(flow, { state: 'preflight' });
      }
      const [actionName = '', id = ''] = asked.split('@');
      const flow = flows.get(id);
      const action = flow && states[flow.state]?.[actionName];
      const { csrf_token: csrfToken, input_data: input } = asObject(received.body);
      if (flow?.name !== name || action === undefined || csrfToken !== flow.csrfToken) return failed(NOT_PERMITTED);
      return respond(flow, await action(flow, asObject(input), received));
    }

    return routes({
      'POST /registration': (received) => run('registration', received),
      'POST /login': (received) => run('login', received),
      'POST /profile': (received) => run('profile', received),
      // Not of Hanko: the mailboxes of the test.
      'GET /mailbox/:email': ({ params: { email = '' } }) => ({ status: 200, headers: {}, body: codes.get(email) ?? '' }),
      'POST /logout'(received) {
        sessions.end(received);
        return { status: 204, headers: { 'set-cookie': forget('hanko') }, body: '' };
      },
      'GET /me': (received) => {
        const user = userOf(received);
        return user === undefined ? json(401, { code: 401, message: 'Unauthorized' }) : json(200, { id: user.id, user_id: user.id });
      },
    });
  });
}

function describe({ name, id }: Flow, action: string) {
  return { action, href: `/${name}?${new URLSearchParams({ action: `${action}@${id}` })}`, inputs: {}, description: '' };
}

function refusal(error: unknown, state: string): Step {
  if (error instanceof Refused) return { state, failure: INVALID_PASSKEY };
  throw error;
}

/** An answer outside a flow that can go on. */
function failed({ code, message, status }: Failure): Answer {
  return json(status, { name: 'error', status, csrf_token: '', actions: {}, error: { code, message }, links: [] });
}

function isParsable(credential: unknown): boolean {
  return isObject(credential) && typeof credential['id'] === 'string' && isObject(credential['response']);
}
