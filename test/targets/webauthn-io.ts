import { asObject, isObject, type JsonObject } from '../../src/kernel/json-value.js';
import { REQUIREMENT_LEVELS, type RequirementLevel } from '../../src/webauthn/enumerations.js';
import { html, json, type Received, redirect, routes, serve, type Target } from './http.js';
import { type CeremonySession, createRelyingParty, Refused, type RelyingParty } from './relying-party.js';
import { createSessions } from './sessions.js';

interface Session extends CeremonySession {
  username?: string;
}

/**
 * A mock: not webauthn.io itself, but a server of the shape of its public sources. Registrations are kept by user name,
 * authentications by the session that the home page starts; a login needs no user name; a refusal is a 400 with `error`,
 * a wrong form a 400 with the fields.
 */
export function startWebauthnIo(): Promise<Target> {
  return serve((url) => {
    const party = createRelyingParty({
      rpId: 'localhost',
      rpName: 'webauthn.io',
      origins: [url],
      policy: { algorithms: [-8, -7, -257], lifetime: 120_000 },
    });
    const sessions = createSessions<Session>('sessionid', () => ({}));
    const registrations = new Map<string, CeremonySession>();

    return routes({
      'GET /': (received) => html(200, '<h1>webauthn.io</h1>', sessions.open(received).headers),

      'GET /profile': (received) => {
        const { username } = sessions.find(received) ?? {};
        return username === undefined ? redirect('/') : html(200, '<h3>You’re logged in!</h3>');
      },

      'POST /registration/options': (received) =>
        submitted(received, REGISTRATION, async (form) => {
          const username = String(form['username']);
          const session: CeremonySession = {};
          registrations.set(username, session);
          const options = await party.creationOptions(session, userNamed(party, username), {
            attestation: form['attestation'] === 'direct' ? 'direct' : 'none',
            authenticatorSelection: {
              residentKey: level(form['discoverable_credential']),
              userVerification: level(form['user_verification']),
            },
          });
          return json(200, options);
        }),

      'POST /registration/verification': (received) =>
        submitted(received, RESPONSE, async ({ username, response }) => {
          const session = registrations.get(String(username)) ?? {};
          await party.register(session, response);
          return json(200, { verified: true });
        }),

      'POST /authentication/options': (received) =>
        submitted(received, AUTHENTICATION, async (form) => {
          const session = sessions.find(received);
          if (session === undefined) throw new Refused('There is no session. Load the home page first.');
          const user = form['username'] ? userNamed(party, String(form['username'])) : undefined;
          return json(
            200,
            await party.requestOptions(session, { ...(user && { user }), userVerification: level(form['user_verification']) }),
          );
        }),

      'POST /authentication/verification': (received) =>
        submitted(received, { response: isObject }, async ({ username, response }) => {
          const session = sessions.find(received) ?? {};
          const { user } = await party.authenticate(session, response);
          if (username && username !== user.name) throw new Refused('The credential does not belong to the user.');
          // A session from before a login may be known to others.
          sessions.end(received);
          const signedIn = sessions.open(received);
          signedIn.state.username = user.name;
          return json(200, { verified: true }, signedIn.headers);
        }),
    });
  });
}

type Form = Readonly<Record<string, (value: unknown) => boolean>>;

const isLevel = (value: unknown) => REQUIREMENT_LEVELS.some((each) => each === value);
const isName = (value: unknown) => typeof value === 'string' && value.length >= 1 && value.length <= 64;

/** What each form must have; what it may leave out is not checked. */
const AUTHENTICATION: Form = { user_verification: isLevel };
const RESPONSE: Form = { username: isName, response: isObject };
const REGISTRATION: Form = {
  username: isName,
  user_verification: isLevel,
  attestation: (value) => value === 'none' || value === 'direct',
  attachment: (value) => value === 'all' || value === 'cross_platform' || value === 'platform',
  discoverable_credential: isLevel,
};

async function submitted(received: Received, form: Form, handle: (form: JsonObject) => Promise<ReturnType<typeof json>>) {
  const body = asObject(received.body);
  const wrong = Object.entries(form).filter(([field, isRight]) => !isRight(body[field]));
  if (wrong.length > 0) {
    return json(400, Object.fromEntries(wrong.map(([field]) => [field, ['Enter a valid value.']])));
  }
  try {
    return await handle(body);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return json(400, { error: error.message });
  }
}

const level = (value: unknown): RequirementLevel => REQUIREMENT_LEVELS.find((each) => each === value) ?? 'preferred';
const userNamed = (party: RelyingParty, name: string) => party.findUser(name) ?? party.addUser(name);
