/** A shop where people sign up, add a passkey and sign in with it. `passkey simulate --demo` tests it and finds three wrong lines. */
import assert from 'node:assert';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type WebAuthnCredential,
} from '@simplewebauthn/server';

interface User {
  readonly id: string;
  readonly name: string;
}

/** The shop's record of one browser, which its cookie identifies: the signed-in user, and the open challenges of its ceremonies. */
interface Visit {
  user?: User;
  readonly registrations: Set<string>;
  readonly logins: Set<string>;
}

const rpID = 'localhost';
const supportedAlgorithmIDs = [-7, -257];
const users = new Map<string, User>();
const passkeys = new Map<string, WebAuthnCredential & { readonly userId: string }>();
const visits = new Map<string, Visit>();
let origin = '';

function signUp(visit: Visit, { name }: { name: string }) {
  const user = { id: Buffer.from(randomUUID()).toString('base64url'), name };
  users.set(user.id, user);
  visit.user = user;
  return { name };
}

async function beginRegistration({ user, registrations }: Visit) {
  assert(user, 'Sign up first.');
  const options = await generateRegistrationOptions({
    rpName: 'Shop',
    rpID,
    userID: Buffer.from(user.id, 'base64url'),
    userName: user.name,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs,
  });
  registrations.add(options.challenge);
  return options;
}

async function register({ user, registrations }: Visit, response: RegistrationResponseJSON) {
  assert(user, 'Sign up first.');
  const { registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: (challenge) => registrations.delete(challenge),
    expectedOrigin: origin,
    expectedRPID: rpID,
    supportedAlgorithmIDs,
  });
  assert(registrationInfo && !passkeys.has(registrationInfo.credential.id), 'Expected a new passkey.');
  passkeys.set(registrationInfo.credential.id, { ...registrationInfo.credential, userId: user.id });
  return { verified: true };
}

async function beginLogin({ logins }: Visit) {
  const options = await generateAuthenticationOptions({ rpID, userVerification: 'required' });
  logins.add(options.challenge);
  return options;
}

async function logIn({ logins }: Visit, response: AuthenticationResponseJSON, request: IncomingMessage) {
  const passkey = passkeys.get(response.id);
  const user = users.get(response.response.userHandle ?? '');
  assert(passkey && user, 'Expected a passkey of this user.');
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    credential: passkey,
    expectedChallenge: (challenge) => logins.has(challenge),
    expectedOrigin: request.headers.origin ?? origin,
    expectedRPID: rpID,
  });
  assert(verified, 'The signature is wrong.');
  passkey.counter = authenticationInfo.newCounter;
  return user;
}

/** Gives the browser a new, secret cookie. */
function openVisit(response: ServerResponse, user?: User): Visit {
  const id = randomUUID();
  const visit = { ...(user && { user }), registrations: new Set<string>(), logins: new Set<string>() };
  visits.set(id, visit);
  response.setHeader('set-cookie', `shop=${id}; HttpOnly; SameSite=Lax; Path=/`);
  return visit;
}

const routes: Readonly<Record<string, (visit: Visit, body: string, request: IncomingMessage, response: ServerResponse) => unknown>> = {
  'POST /signup': (visit, body) => signUp(visit, JSON.parse(body)),
  'POST /passkeys/options': beginRegistration,
  'POST /passkeys': (visit, body) => register(visit, JSON.parse(body)),
  'POST /login/options': beginLogin,
  'POST /login': async (visit, body, request, response) => openVisit(response, await logIn(visit, JSON.parse(body), request)).user,
  'GET /me': ({ user }) => ({ name: user?.name }),
};

async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const visit = visits.get(/shop=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '') ?? openVisit(response);
  const route = routes[`${request.method} ${request.url}`];
  assert(route, 'Expected a path of the shop.');
  return route(visit, await text(request), request, response);
}

/** Starts the shop on a free port of this machine. */
export async function openShop() {
  const server = createServer((request, response) => {
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    answer(request, response).then(
      (body) => send(200, body),
      (error) => send(400, { error: String(error) }),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  assert(typeof address === 'object' && address, 'Expected a port.');
  origin = `http://${rpID}:${address.port}`;
  return { url: origin, close: () => server.close() };
}
