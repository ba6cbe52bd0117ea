// A server of the shape of Spring Security's filters for form login and passkeys, read in its sources; it is not Spring Security. It really verifies.
import { randomUUID } from 'node:crypto';
import { asObject } from '../../src/kernel/json-value.js';
import { type Answer, type Handle, html, json, type Received, redirect, routes, serve, type Target } from './http.js';
import { type CeremonySession, createRelyingParty, type Passkey, Refused, type User } from './relying-party.js';
import { createSessions } from './sessions.js';

interface SpringSettings {
  /** Whether a login by passkey changes the session, as a `SessionAuthenticationStrategy` does. `webAuthn` sets none. */
  readonly changesSession?: boolean;
}

interface Session extends CeremonySession {
  readonly csrf: string;
  user?: User;
}

const empty = (status: number): Answer => ({ status, headers: {}, body: '' });
const USERS = ['tester1', 'tester2'];
const PASSWORD = 'password';

export function startSpringSecurity({ changesSession = false }: SpringSettings = {}): Promise<Target> {
  return serve((url) => {
    const party = createRelyingParty({ rpId: 'localhost', rpName: 'Shop', origins: [url], policy: { residentKey: 'required' } });
    const users = USERS.map((name) => party.addUser(name));
    const sessions = createSessions<Session>('JSESSIONID', () => ({ csrf: randomUUID() }));

    /** A request that needs the CSRF token of its session, in the header or the form. */
    const guarded = (act: (session: Session, received: Received) => Answer | Promise<Answer>): Handle => {
      return (received) => {
        const session = sessions.find(received);
        const sent = received.headers['x-csrf-token'] ?? asObject(received.body)['_csrf'];
        return session === undefined || sent !== session.csrf ? empty(403) : act(session, received);
      };
    };

    /** Behind `anyRequest().authenticated()`. */
    const signedIn = (act: (user: User, session: Session, received: Received) => Answer | Promise<Answer>) =>
      guarded((session, received) => (session.user === undefined ? redirect(`${url}/login`) : act(session.user, session, received)));

    function openSession(received: Received, user: User): Answer['headers'] {
      sessions.end(received);
      const { state, headers } = sessions.open(received);
      state.user = user;
      return headers;
    }

    /** The credential with the user handle of its owner: the original decodes the one that came, and compares it with nothing. */
    function ignoringUserHandle(credential: unknown): unknown {
      const { id, response } = asObject(credential);
      const { userHandle = '' } = asObject(response);
      if (typeof userHandle !== 'string' || !/^[\w-]*$/.test(userHandle)) return undefined;
      const owner = users.find((user) => party.passkeysOf(user).some((passkey) => passkey.credential.id === id));
      return { ...asObject(credential), response: { ...asObject(response), userHandle: owner?.id } };
    }

    return routes({
      'GET /login'(received) {
        const { state, headers } = sessions.open(received);
        return html(200, `<form method="post" action="/login">${csrfInput(state.csrf)}</form>`, headers);
      },
      'POST /login': guarded((_, received) => {
        const { username, password } = asObject(received.body);
        const user = users.find(({ name }) => name === username);
        if (user === undefined || password !== PASSWORD) return redirect(`${url}/login?error`);
        return redirect(`${url}/`, openSession(received, user));
      }),
      'POST /logout': guarded((_, received) => {
        sessions.end(received);
        return redirect(`${url}/login?logout`);
      }),
      'GET /me'(received) {
        const { user } = sessions.find(received) ?? {};
        return user === undefined ? redirect(`${url}/login`) : json(200, { name: user.name });
      },
      'GET /webauthn/register'(received) {
        const { csrf = '', user } = sessions.find(received) ?? {};
        return user === undefined ? redirect(`${url}/login`) : html(200, registrationPage(csrf, party.passkeysOf(user)));
      },
      'POST /webauthn/register/options': guarded(async (session) =>
        session.user === undefined ? empty(400) : json(200, await party.creationOptions(session, session.user)),
      ),
      'POST /webauthn/register': signedIn(async (_, session, { body, path }) => {
        const { credential } = asObject(asObject(body)['publicKey']);
        const members = Object.keys(asObject(asObject(credential)['response']));
        // Jackson 2, which Spring Security 6 reads JSON with, takes no member that the class lacks.
        const isKnown = members.every((name) => ['attestationObject', 'clientDataJSON', 'transports'].includes(name));
        if (credential === undefined || !isKnown || session.registration === undefined) return empty(400);
        try {
          await party.register(session, credential);
          return json(200, { success: true });
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          // The filter catches no exception of the verification: Spring Boot answers.
          return json(500, { timestamp: new Date(0), status: 500, error: 'Internal Server Error', path });
        }
      }),
      'DELETE /webauthn/register/:id': signedIn((user, _session, { params: { id } }) => {
        const passkey = party.passkeysOf(user).find(({ credential }) => credential.id === id);
        if (passkey === undefined) return empty(403);
        party.removePasskey(passkey);
        return empty(204);
      }),
      'POST /webauthn/authenticate/options': guarded(async (session) => {
        const { allowCredentials = [], ...options } = await party.requestOptions(session, session.user && { user: session.user });
        return json(200, { ...options, allowCredentials });
      }),
      'POST /login/webauthn': guarded(async (session, received) => {
        try {
          const { user } = await party.authenticate(session, ignoringUserHandle(received.body));
          const headers = changesSession ? openSession(received, user) : {};
          session.user = user;
          return json(200, { authenticated: true, redirectUrl: '/' }, headers);
        } catch (error) {
          if (error instanceof Refused) return empty(401);
          throw error;
        }
      }),
    });
  });
}

const csrfInput = (csrf: string) => `<input name="_csrf" type="hidden" value="${csrf}" />`;

function registrationPage(csrf: string, passkeys: readonly Passkey[]): string {
  const forms = passkeys.map(
    ({ credential: { id } }) => `<form class="delete-form" method="post" action="/webauthn/register/${id}">${csrfInput(csrf)}</form>`,
  );
  return `<script>setupRegistration({"X-CSRF-TOKEN" : "${csrf}"}, "", ui)</script>${forms.join('')}`;
}
