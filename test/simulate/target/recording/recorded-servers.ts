import { randomBytes } from 'node:crypto';
import { asObject } from '../../../../src/kernel/json-value.js';
import { type Answer, escapeHtml, html, json, type Received, redirect, routes, serve, type Target } from '../../../targets/http.js';
import { type CeremonySession, createRelyingParty, Refused, type User } from '../../../targets/relying-party.js';
import { createSessions } from '../../../targets/sessions.js';

const random = (): string => randomBytes(16).toString('hex');

/** GraphQL, a bearer token from the sign-up, an API key that no answer gives, and options three levels down. */
export function startGraphQlServer(): Promise<Target> {
  return serve((url) => {
    const party = createRelyingParty({ rpId: 'localhost', rpName: 'Graph', origins: [url] });
    const owners = new Map<string, { readonly user: User; readonly session: CeremonySession }>();
    const logins = new Map<string, CeremonySession>();
    const names = new Map<string, string>();
    const ownerOf = ({ headers }: Received) => owners.get(headers.authorization?.replace('Bearer ', '') ?? '');

    const operations: Readonly<Record<string, (variables: Readonly<Record<string, unknown>>, received: Received) => unknown>> = {
      signUp({ email, name, password }) {
        if (typeof password !== 'string' || password.length < 8) throw new Refused('Choose a longer password.');
        const token = random();
        owners.set(token, { user: party.addUser(String(email), String(name)), session: {} });
        return { accessToken: token };
      },
      async beginRegistration(_, received) {
        const owner = ownerOf(received);
        if (owner === undefined) throw new Refused('Sign in first.');
        return { ceremony: { options: await party.creationOptions(owner.session, owner.user) } };
      },
      async finishRegistration({ credential }, received) {
        const { passkey } = await party.register(ownerOf(received)?.session ?? {}, credential);
        const id = String(names.size + 1);
        names.set(id, passkey.credential.id);
        return { id };
      },
      async beginLogin() {
        const [id, session] = [random(), {}];
        logins.set(id, session);
        return { ceremonyId: id, requestOptionsJson: JSON.stringify({ publicKey: await party.requestOptions(session) }) };
      },
      async finishLogin({ ceremonyId, credential }) {
        const { user } = await party.authenticate(logins.get(String(ceremonyId)) ?? {}, credential);
        const token = random();
        owners.set(token, { user, session: {} });
        return { accessToken: token };
      },
      me(_, received) {
        const owner = ownerOf(received);
        return owner && { email: owner.user.name };
      },
    };

    return routes({
      async 'POST /graphql'(received) {
        if (received.headers['x-api-key'] !== API_KEY) return json(403, { errors: [{ message: 'The API key is missing.' }] });
        const { operationName, variables } = asObject(received.body);
        const name = String(operationName);
        try {
          return json(200, { data: { [name]: await operations[name]?.(asObject(variables), received) } });
        } catch (error) {
          return json(200, { errors: [{ message: String(error) }], data: null });
        }
      },
      'POST /collect': () => json(204, ''),
      'GET /logo.png': () => json(200, { width: 1 }),
      'DELETE /passkeys/:id'(received) {
        const id = names.get(received.params['id'] ?? '');
        const owner = ownerOf(received);
        const passkey = owner && party.passkeysOf(owner.user).find(({ credential }) => credential.id === id);
        if (passkey === undefined) return json(404, { error: 'There is no such passkey.' });
        party.removePasskey(passkey);
        return json(200, {});
      },
    });
  });
}

export const API_KEY = 'pk_test_4f9a0c77d1';

interface FormSession extends CeremonySession {
  csrf: string;
  user?: User | undefined;
}

/** Pages with forms: hidden CSRF tokens, options in a script, base64 with padding in fields, and redirects. */
export function startFormServer(): Promise<Target> {
  return serve((url) => {
    const party = createRelyingParty({ rpId: 'localhost', rpName: 'Forms', origins: [url] });
    const sessions = createSessions<FormSession>('sid', () => ({ csrf: random() }));

    const form = (session: FormSession, action: string, fields: string) =>
      `<form id="main" method="post" action="${escapeHtml(action)}"><input type="hidden" name="_csrf" value="${session.csrf}">${fields}</form>`;
    const page = (session: FormSession, action: string, options: unknown) =>
      html(
        200,
        `<!doctype html><html><body><script>\nconst options = ${JSON.stringify(options)};\n</script>${form(session, action, '')}</body></html>`,
      );

    function guarded(handle: (session: FormSession, fields: Readonly<Record<string, unknown>>) => Answer | Promise<Answer>) {
      return async (received: Received): Promise<Answer> => {
        const session = sessions.find(received);
        const fields = asObject(received.body);
        if (session === undefined || fields['_csrf'] !== session.csrf) return html(403, '<p>The form is out of date.</p>');
        // As pages with forms do: a refusal is the form again.
        try {
          return await handle(session, fields);
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          return html(200, `<!doctype html><p class="error">${escapeHtml(error.message)}</p>`);
        }
      };
    }

    return routes({
      'GET /sign-up'(received) {
        const { state, headers } = sessions.open(received);
        return html(
          200,
          `<!doctype html><html>${form(state, '/sign-up', '<input name="user[email]"><input name="user[password]">')}</html>`,
          headers,
        );
      },
      'POST /sign-up': guarded((session, fields) => {
        if (String(fields['user[password]']).length < 8) throw new Refused('Choose a longer password.');
        session.user = party.addUser(String(fields['user[email]']));
        return redirect('/passkeys/new', {}, 303);
      }),
      async 'GET /passkeys/new'(received) {
        const session = sessions.find(received);
        if (session?.user === undefined) return redirect('/sign-up');
        return page(session, '/passkeys', await party.creationOptions(session, session.user));
      },
      'POST /passkeys': guarded(async (session, fields) => {
        await party.register(session, fromFields(fields, ['clientDataJSON', 'attestationObject'], String(fields['transports']).split(',')));
        return redirect('/account', {}, 303);
      }),
      async 'GET /login'(received) {
        const { state, headers } = sessions.open(received);
        return {
          ...page(state, '/login', { publicKey: await party.requestOptions(state) }),
          headers: { 'content-type': 'text/html', ...headers },
        };
      },
      'POST /login': guarded(async (session, fields) => {
        const { user } = await party.authenticate(
          session,
          fromFields(fields, ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle']),
        );
        session.user = user;
        return redirect('/account');
      }),
      'POST /sign-out'(received) {
        sessions.end(received);
        // Another session, so that the login sends the cookie of this answer.
        return redirect('/login', sessions.open({ ...received, cookies: new Map() }).headers);
      },
      'GET /account': (received) => (sessions.find(received)?.user ? html(200, '<!doctype html><h1>Welcome</h1>') : redirect('/login')),
      'GET /api/me'(received) {
        const user = sessions.find(received)?.user;
        return user === undefined ? json(401, {}) : json(200, { profile: { id: 7, email: user.name } });
      },
    });
  });
}

/** Sends only a challenge, and the user's ID with that of a registration: its page builds the options. */
export function startChallengeServer(): Promise<Target> {
  return serve((url) => {
    const party = createRelyingParty({ rpId: 'localhost', rpName: 'Challenge', origins: [url], policy: { algorithms: [-7] } });
    const sessions = createSessions<CeremonySession & { user?: User }>('challenge', () => ({}));
    const answering = (finish: (session: CeremonySession, credential: unknown) => Promise<{ readonly user: User }>) => {
      return async (received: Received): Promise<Answer> => {
        const session: CeremonySession & { user?: User } = sessions.find(received) ?? {};
        try {
          const { user } = await finish(session, received.body);
          session.user = user;
          return json(200, { ok: true });
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          return json(400, { ok: false });
        }
      };
    };
    return routes({
      'GET /page.js': () => ({
        status: 200,
        headers: { 'content-type': 'text/javascript' },
        body: `navigator.credentials.create({ publicKey: { pubKeyCredParams: [{ type: "public-key", alg: -7 }], authenticatorSelection: { residentKey: "required", userVerification: "preferred" } } });`,
      }),
      async 'POST /register/challenge'(received) {
        const { state, headers } = sessions.open(received);
        const user = party.addUser(String(asObject(received.body)['email']));
        const { challenge } = await party.creationOptions(state, user);
        return json(200, { challenge: Buffer.from(challenge, 'base64url').toString('base64'), user: { id: user.id } }, headers);
      },
      'POST /register': answering(party.register),
      async 'GET /login/challenge'(received) {
        const { state, headers } = sessions.open(received);
        const { challenge } = await party.requestOptions(state);
        return { status: 200, headers: { 'content-type': 'text/plain', ...headers }, body: challenge };
      },
      'POST /login': answering(party.authenticate),
      'GET /me'(received) {
        const user = sessions.find(received)?.user;
        return user === undefined ? json(401, {}) : json(200, { id: user.id, email: user.name });
      },
    });
  });
}

/** What a form has in padded base64, as the library wants it. */
function fromFields(fields: Readonly<Record<string, unknown>>, members: readonly string[], transports?: readonly string[]): unknown {
  const plain = (name: string) => Buffer.from(String(fields[name]), 'base64').toString('base64url');
  const id = plain('credentialId');
  const response = Object.fromEntries(members.map((name) => [name, plain(name)]));
  return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response: { ...response, ...(transports && { transports }) } };
}
