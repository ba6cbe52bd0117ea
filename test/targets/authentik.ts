// A server of the documented shape of authentik's flow executor; it is not authentik. It really verifies.
import { randomBytes } from 'node:crypto';
import { asObject } from '../../src/kernel/json-value.js';
import { type Answer, cookie, html, json, type Received, redirect, routes, serve, type Target } from './http.js';
import { type CeremonySession, createRelyingParty, Refused, type User } from './relying-party.js';
import { createSessions } from './sessions.js';

/** What a browser does here: one flow at a time, as a plan of stages. */
interface BrowserState {
  user: User | undefined;
  plan: Plan | undefined;
}

/** What is left of a flow. It holds the open ceremonies, so that a challenge is good in its flow only. */
interface Plan extends CeremonySession {
  readonly slug: string;
  readonly stages: StageName[];
  /** Whom the stages so far have found. */
  pending: User | undefined;
  /** What the prompts so far were answered. */
  readonly prompts: Record<string, unknown>;
}

type StageName = 'identification' | 'password' | 'validate' | 'webauthn' | 'promptFirst' | 'promptSecond';

/** A stage asks for something, and takes the answer or says what is wrong with it, by field. */
interface Stage {
  challenge(plan: Plan): Promise<object> | object;
  solve(plan: Plan, answer: Readonly<Record<string, unknown>>): Promise<Errors | undefined> | Errors | undefined;
}

type Errors = Readonly<Record<string, readonly { readonly string: string; readonly code: string }[]>>;

/** The default flows, that of the example blueprint for enrollment, and the one of the guide to passwordless logins. */
const FLOWS: Readonly<Record<string, { readonly stages: readonly StageName[]; readonly needsUser: boolean }>> = {
  'default-enrollment-flow': { stages: ['promptFirst', 'promptSecond'], needsUser: false },
  'default-authenticator-webauthn-setup': { stages: ['webauthn'], needsUser: true },
  'default-authentication-flow': { stages: ['identification', 'password', 'validate'], needsUser: false },
  passwordless: { stages: ['validate'], needsUser: false },
  'default-unenrollment-flow': { stages: [], needsUser: true },
  'default-invalidation-flow': { stages: [], needsUser: false },
};

export function startAuthentik(): Promise<Target> {
  return serve((url) => {
    const relyingParty = createRelyingParty({ rpId: 'localhost', rpName: 'authentik', origins: [url] });
    const sessions = createSessions<BrowserState>('authentik_session', () => ({ user: undefined, plan: undefined }));
    const passwords = new Map<string, string>();
    const userOf = ({ user }: BrowserState) => user && relyingParty.userOf(user.id);

    const stages: Readonly<Record<StageName, Stage>> = {
      promptFirst: prompt(['username', 'password', 'password_repeat'], (answer) => {
        if (answer['password'] !== answer['password_repeat']) return wrong('non_field_errors', "Passwords don't match.");
        if (relyingParty.findUser(String(answer['username']))) return wrong('username', 'Username is already taken.');
        return undefined;
      }),
      promptSecond: prompt(['name', 'email']),
      identification: {
        challenge: () => ({ component: 'ak-stage-identification', user_fields: ['email', 'username'], password_fields: false }),
        solve(plan, { uid_field: name }) {
          plan.pending = relyingParty.findUser(String(name));
          return plan.pending === undefined ? wrong('non_field_errors', 'Failed to authenticate.') : undefined;
        },
      },
      password: {
        challenge: () => ({ component: 'ak-stage-password' }),
        solve(plan, { password }) {
          const isRight = plan.pending !== undefined && passwords.get(plan.pending.id) === password;
          return isRight ? undefined : wrong('password', 'Invalid password');
        },
      },
      validate: {
        async challenge(plan) {
          const options = await relyingParty.requestOptions(plan, plan.pending && { user: plan.pending });
          const device = { device_class: 'webauthn', device_uid: '-1', challenge: options, last_used: null };
          return { component: 'ak-stage-authenticator-validate', device_challenges: [device], configuration_stages: [] };
        },
        solve: (plan, { webauthn }) =>
          verified('webauthn', async () => {
            plan.pending = (await relyingParty.authenticate(plan, webauthn)).user;
          }),
      },
      webauthn: {
        async challenge(plan) {
          if (plan.pending === undefined) throw new Error('The plan has no user.');
          const registration = await relyingParty.creationOptions(plan, plan.pending, { attestation: 'direct' });
          return { component: 'ak-stage-authenticator-webauthn', registration };
        },
        solve: (plan, { response }) => verified('response', () => relyingParty.register(plan, response)),
      },
    };

    async function show(plan: Plan, stage: StageName, errors?: Errors): Promise<Answer> {
      const challenge = await stages[stage].challenge(plan);
      const flow_info = { title: plan.slug, cancel_url: '/flows/-/cancel/', layout: 'stacked' };
      return json(200, { flow_info, pending_user: plan.pending?.name ?? '', ...challenge, ...(errors && { response_errors: errors }) });
    }

    /** What a flow does when its stages are done: writes the user, deletes the user, or signs in. */
    function finish(received: Received, { slug, prompts, pending }: Plan): Answer {
      // As in the original: the session of whoever signs in or out is a new one.
      if (FLOWS[slug]?.stages.includes('webauthn') !== true) sessions.end(received);
      const { state, headers } = sessions.open(received);
      state.plan = undefined;
      if (slug === 'default-unenrollment-flow') {
        if (pending) relyingParty.removeUser(pending);
      } else if (slug === 'default-enrollment-flow') {
        // Names are unique in the database, too: another sign-up may have been faster.
        if (relyingParty.findUser(String(prompts['username'])) !== undefined) return denied();
        state.user = relyingParty.addUser(String(prompts['username']), String(prompts['name']));
        passwords.set(state.user.id, String(prompts['password']));
      } else {
        state.user = pending;
      }
      return json(200, { component: 'xak-flow-redirect', to: '/' }, headers);
    }

    /** The plan of the flow that is asked for: what is left of it, or a new one. */
    function planOf(state: BrowserState, slug: string): Plan | undefined {
      if (state.plan?.slug === slug) return state.plan;
      const flow = FLOWS[slug];
      const user = userOf(state);
      if (flow === undefined || (flow.needsUser && user === undefined)) return undefined;
      state.plan = { slug, stages: [...flow.stages], pending: flow.needsUser ? user : undefined, prompts: {} };
      return state.plan;
    }

    async function execute(received: Received): Promise<Answer> {
      const slug = received.params['slug'] ?? '';
      if (FLOWS[slug] === undefined) return json(404, { detail: 'Not found.' });
      const { state, headers } = sessions.open(received);
      if (received.method === 'POST' && userOf(state) !== undefined && !hasCsrfToken(received)) {
        return json(403, { detail: 'CSRF Failed: CSRF token missing.' });
      }
      const plan = planOf(state, slug);
      const answer = plan === undefined ? denied() : await advance(plan, received);
      return { ...answer, headers: { ...headers, ...answer.headers } };
    }

    async function advance(plan: Plan, received: Received): Promise<Answer> {
      const [stage] = plan.stages;
      if (stage === undefined) return finish(received, plan);
      if (received.method === 'GET') return await show(plan, stage);
      const errors = await stages[stage].solve(plan, asObject(received.body));
      if (errors !== undefined) return await show(plan, stage, errors);
      plan.stages.shift();
      return plan.stages.length === 0 ? finish(received, plan) : redirect(`${received.path}?${received.query}`);
    }

    return routes({
      // The page that the front end of a flow runs in; it brings the cookie of the anti-CSRF token.
      'GET /if/flow/:slug/'(received) {
        const token = received.cookies.get('authentik_csrf') ?? randomBytes(24).toString('base64url');
        return html(200, '<!DOCTYPE html><html lang="en"><body><ak-flow-executor></ak-flow-executor></body></html>', {
          'set-cookie': cookie('authentik_csrf', token, 'Path=/; SameSite=Lax'),
        });
      },
      'GET /api/v3/flows/executor/:slug/': execute,
      'POST /api/v3/flows/executor/:slug/': execute,
      'GET /api/v3/core/users/me/'(received) {
        const state = sessions.find(received);
        const user = state && userOf(state);
        return user === undefined
          ? json(403, { detail: 'Authentication credentials were not provided.' })
          : json(200, { user: { pk: user.id, username: user.name, name: user.displayName, is_active: true } });
      },
    });
  });
}

/** A stage that asks for fields, all required. */
function prompt(
  fields: readonly string[],
  check: (answer: Readonly<Record<string, unknown>>) => Errors | undefined = () => undefined,
): Stage {
  return {
    challenge: () => ({
      component: 'ak-stage-prompt',
      fields: fields.map((field_key, order) => ({ field_key, label: field_key, type: 'text', required: true, order })),
    }),
    solve(plan, answer) {
      const missing = fields.find((field) => typeof answer[field] !== 'string' || answer[field] === '');
      const errors = missing === undefined ? check(answer) : wrong(missing, 'This field is required.');
      if (errors === undefined) for (const field of fields) plan.prompts[field] = answer[field];
      return errors;
    },
  };
}

function wrong(field: string, text: string): Errors {
  return { [field]: [{ string: text, code: 'invalid' }] };
}

async function verified(field: string, verify: () => Promise<unknown>): Promise<Errors | undefined> {
  try {
    await verify();
    return undefined;
  } catch (error) {
    if (error instanceof Refused) return wrong(field, error.message);
    throw error;
  }
}

function denied(): Answer {
  return json(200, { component: 'ak-stage-access-denied', error_message: 'Flow does not apply to current user.' });
}

function hasCsrfToken({ headers, cookies }: Received): boolean {
  const token = cookies.get('authentik_csrf');
  return token !== undefined && headers['x-authentik-csrf'] === token;
}
