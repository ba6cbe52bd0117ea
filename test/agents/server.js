// A shop with passkeys on Node's own HTTP server. Its passkeys.js and shop.json are those of docs/quick-start/README.md.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { beginLogin, beginRegistration, logIn, register, signUp } from './passkeys.js';

const sessions = new Map();

/** Opens a new session, and ends the one of the request. */
function openSession(visit, user) {
  sessions.delete(visit.id);
  const id = randomBytes(16).toString('base64url');
  sessions.set(id, { user });
  visit.setCookie = `session=${id}; HttpOnly; SameSite=Lax; Path=/`;
  visit.id = id;
  visit.user = user;
}

function signedIn(visit) {
  if (visit.user === undefined) throw new Error('Sign in first.');
  return visit;
}

const ROUTES = {
  'POST /signup': (visit, { name }) => openSession(visit, signUp(name)),
  'POST /register/options': (visit) => beginRegistration(signedIn(visit)),
  'POST /register': async (visit, body) => void (await register(signedIn(visit), body)),
  'POST /login/options': (visit) => beginLogin(visit),
  'POST /login': async (visit, body) => openSession(visit, await logIn(visit, body)),
  'GET /me': (visit) => ({ name: visit.user?.name }),
};

async function answer(request, response) {
  const origin = `http://localhost:${server.address().port}`;
  let id = /session=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1];
  let setCookie;
  if (!sessions.has(id)) {
    id = randomBytes(16).toString('base64url');
    sessions.set(id, {});
    setCookie = `session=${id}; HttpOnly; SameSite=Lax; Path=/`;
  }
  const visit = { id, origin, request, setCookie, user: sessions.get(id).user };
  try {
    const chunks = await request.toArray();
    const text = Buffer.concat(chunks).toString();
    const result = await ROUTES[`${request.method} ${request.url}`](visit, text === '' ? {} : JSON.parse(text));
    if (visit.setCookie !== undefined) response.setHeader('set-cookie', visit.setCookie);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(result ?? {}));
  } catch (error) {
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error: error.message }));
  }
}

const server = createServer((request, response) => void answer(request, response));
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => console.log(`http://localhost:${server.address().port}`));
