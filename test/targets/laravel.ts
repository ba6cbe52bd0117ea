import { randomBytes } from 'node:crypto';
import { asObject, isObject } from '../../src/kernel/json-value.js';
import { cookie, type Handle, json, type Received, routes, serve, type Target } from './http.js';
import { type CeremonySession, createRelyingParty, type Passkey, Refused, type User } from './relying-party.js';

interface Session extends CeremonySession {
  id: string;
  token: string;
  userId?: string;
  confirmed?: boolean;
}

interface Visit {
  readonly received: Received;
  readonly session: Session;
}

/** The answer of a route, and the session that replaces the one of the request. */
type Outcome = readonly [status: number, body?: object | undefined, session?: Session];
type Route<Of extends Visit = Visit> = (visit: Of) => Outcome | Promise<Outcome>;

/**
 * A mock: not Laravel itself, but a server of the shape of Fortify and laravel/passkeys as their public sources have it. A user
 * signs up with a password, and confirms it before passkeys change. Each write sends the cookie XSRF-TOKEN as a header, too. A
 * refusal is a 422; what the library refuses is an exception that nothing catches, and so a 500.
 *
 * @param driver Where sessions are kept: `SESSION_DRIVER`.
 */
export function startLaravel(driver: 'database' | 'cookie' = 'database'): Promise<Target> {
  return serve((url) => {
    const party = createRelyingParty({
      rpId: 'localhost',
      rpName: 'localhost',
      origins: [url],
      policy: { algorithms: [-7, -257], userVerification: 'required', residentKey: 'required' },
    });
    const passwords = new Map<string, unknown>();
    const passkeys: Passkey[] = [];
    const sessions = new Map<string, Session>();

    function load(value = ''): Session {
      const session = driver === 'cookie' ? fromCookie(value) : sessions.get(value);
      return session ?? createSession();
    }

    function save(session: Session, before: Session): string {
      sessions.delete(before.id);
      sessions.set(session.id, session);
      return driver === 'cookie' ? toCookie(session) : session.id;
    }

    const answering =
      (route: Route): Handle =>
      async (received) => {
        const before = load(received.cookies.get('laravel-session'));
        const isForged = received.method !== 'GET' && received.headers['x-xsrf-token'] !== before.token;
        const visit = { received, session: before };
        const [status, body, session = before] = isForged ? TOKEN_MISMATCH : await refusing(route, visit);
        const headers = {
          'set-cookie': [cookie('laravel-session', save(session, before)), cookie('XSRF-TOKEN', session.token, 'Path=/; SameSite=Lax')],
          ...(status === 302 && { location: '/dashboard' }),
        };
        return body === undefined ? { status, headers, body: '' } : json(status, body, headers);
      };

    const guest = (route: Route) => answering((visit) => (visit.session.userId === undefined ? route(visit) : [302]));

    const auth = (route: Route<Visit & { readonly user: User }>) =>
      answering((visit) => {
        const user = party.userOf(visit.session.userId ?? '');
        return user === undefined ? [401, { message: 'Unauthenticated.' }] : route({ ...visit, user });
      });

    const confirmed = (route: Route<Visit & { readonly user: User }>) =>
      auth((visit) => (visit.session.confirmed === true ? route(visit) : [423, { message: 'Password confirmation required.' }]));

    return routes({
      'POST /register': guest(({ received }) => {
        const { name, email, password, password_confirmation: again } = asObject(received.body);
        if (typeof email !== 'string' || typeof password !== 'string' || password !== again) return invalid('password');
        if (party.findUser(email) !== undefined) return invalid('email');
        const user = party.addUser(email, String(name));
        passwords.set(user.id, password);
        return [201, undefined, createSession(user)];
      }),
      'POST /login': guest(({ received }) => {
        const { email, password } = asObject(received.body);
        const user = party.findUser(String(email));
        if (user === undefined || passwords.get(user.id) !== password) return invalid('email');
        return [200, { two_factor: false }, createSession(user)];
      }),
      'POST /logout': auth(() => [204, undefined, createSession()]),
      'POST /user/confirm-password': auth(({ received, session, user }) => {
        if (passwords.get(user.id) !== asObject(received.body)['password']) return invalid('password');
        session.confirmed = true;
        return [201];
      }),
      'GET /user/confirmed-password-status': auth(({ session }) => [200, { confirmed: session.confirmed === true }]),

      'GET /user/passkeys/options': confirmed(async ({ session, user }) => [200, { options: await party.creationOptions(session, user) }]),
      'POST /user/passkeys': confirmed(async ({ received, session }) => {
        const { name, credential } = asObject(received.body);
        if (typeof name !== 'string' || !isCredential(credential)) return invalid('credential');
        const { passkey } = await party.register(session, credential);
        return [200, { status: 'passkey-registered', id: String(passkeys.push(passkey)), name }];
      }),
      'DELETE /user/passkeys/:id': confirmed(({ received, user }) => {
        const passkey = passkeys[Number(received.params['id']) - 1];
        if (passkey === undefined) return [404, { message: 'Not Found' }];
        if (passkey.userId !== user.id) return [403, { message: 'Forbidden' }];
        party.removePasskey(passkey);
        return [200, { status: 'passkey-deleted' }];
      }),

      'GET /passkeys/login/options': guest(async ({ session }) => [200, { options: await party.requestOptions(session) }]),
      'POST /passkeys/login': guest(async ({ received, session }) => {
        const { credential } = asObject(received.body);
        if (!isCredential(credential)) return invalid('credential');
        const { user } = await party.authenticate(session, credential);
        return [200, { redirect: `${url}/dashboard` }, createSession(user)];
      }),
    });
  });
}

const TOKEN_MISMATCH: Outcome = [419, { message: 'CSRF token mismatch.' }];
const INVALID = 'The given data was invalid.';

const invalid = (field: string, message = INVALID): Outcome => [422, { message, errors: { [field]: [message] } }];

function createSession(user?: User): Session {
  const [id, token] = [randomBytes(20).toString('hex'), randomBytes(20).toString('hex')];
  return { id, token, ...(user && { userId: user.id }) };
}

const toCookie = (session: Session) => Buffer.from(JSON.stringify(session)).toString('base64url');

function fromCookie(value: string): Session | undefined {
  return value === '' ? undefined : JSON.parse(Buffer.from(value, 'base64url').toString());
}

/** Has the form that the rules of its request demand. */
function isCredential(value: unknown): boolean {
  return isObject(value) && typeof value['rawId'] === 'string' && value['type'] === 'public-key' && isObject(value['response']);
}

async function refusing(route: Route, visit: Visit): Promise<Outcome> {
  try {
    return await route(visit);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { cause, unverified, message } = error;
    return cause === undefined && !unverified ? invalid('credential', message) : [500, { message: 'Server Error' }];
  }
}
