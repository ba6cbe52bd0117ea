import { asObject } from '../../src/kernel/json-value.js';
import { type Answer, type Handle, json, type Received, routes, serve, type Target } from './http.js';
import { type CeremonySession, createRelyingParty, Refused, type RelyingParty } from './relying-party.js';
import { createSessions } from './sessions.js';

interface Begun extends CeremonySession {
  readonly user: string;
  readonly party: RelyingParty;
}

interface Session {
  registration?: Begun | undefined;
  login?: Begun | undefined;
  user?: string;
}

/**
 * A mock: not webauthn-rs itself, but a server of the shape of docs/quick-start/rust.md, which has the routes of its tutorial.
 * Options stand below `publicKey`, logins are named, and a refusal is a 400 with a text. The library sees the passkeys of one
 * user at a time: each user has a relying party.
 *
 * @param refusesKnown Whether a registration looks at the passkeys of other users.
 */
export function startWebauthnRs(refusesKnown: boolean): Promise<Target> {
  return serve((url) => {
    const parties = new Map<string, RelyingParty>();
    const sessions = createSessions<Session>('id', () => ({}));
    const credentialIds = () =>
      [...parties].flatMap(([name, party]) => party.passkeysOf(userOf(party, name)).map(({ credential }) => credential.id));

    return routes({
      'POST /register_start/:name': answering(async (received) => {
        const { state, headers } = sessions.open(received);
        const { name: user = '' } = received.params;
        const party = createRelyingParty({ ...SETTINGS, origins: [url] });
        state.registration = { user, party };
        const publicKey = await party.creationOptions(state.registration, party.addUser(user));
        return json(200, { publicKey: { ...publicKey, extensions: EXTENSIONS } }, headers);
      }),
      'POST /register_finish': answering(async (received) => {
        const { user, party, ...ceremony } = take(sessions.open(received).state, 'registration');
        await party.register(ceremony, received.body);
        if (parties.has(user)) throw new Refused('expected a new user name');
        if (refusesKnown && credentialIds().some((id) => id === asObject(received.body)['id'])) {
          throw new Refused('expected a new passkey');
        }
        parties.set(user, party);
        return text(200, '');
      }),
      'POST /login_start/:name': answering(async (received) => {
        const { state, headers } = sessions.open(received);
        const { name: user = '' } = received.params;
        const party = parties.get(user);
        if (party === undefined) throw new Refused('expected the name of a user');
        state.login = { user, party };
        return json(200, { publicKey: await party.requestOptions(state.login, { user: userOf(party, user) }) }, headers);
      }),
      'POST /login_finish': answering(async (received) => {
        const { user, party, ...ceremony } = take(sessions.open(received).state, 'login');
        await party.authenticate(ceremony, received.body);
        sessions.end(received);
        const { state, headers } = sessions.open(received);
        state.user = user;
        return text(200, '', headers);
      }),
      'GET /me': answering((received) => {
        const { user } = sessions.find(received) ?? {};
        if (user === undefined) throw new Refused('expected a login');
        return text(200, user);
      }),
    });
  });
}

const SETTINGS = {
  rpId: 'localhost',
  rpName: 'localhost',
  policy: { algorithms: [-7, -257], userVerification: 'required', residentKey: 'discouraged' },
} as const;

const EXTENSIONS = {
  credentialProtectionPolicy: 'userVerificationRequired',
  enforceCredentialProtectionPolicy: false,
  uvm: true,
  credProps: true,
};

const text = (status: number, body: string, headers: Answer['headers'] = {}): Answer => ({ status, headers, body });

function userOf(party: RelyingParty, name: string) {
  const user = party.findUser(name);
  if (user === undefined) throw new Refused('expected the name of a user');
  return user;
}

/** Taken with its first answer. */
function take(session: Session, kind: 'registration' | 'login'): Begun {
  const begun = session[kind];
  session[kind] = undefined;
  if (begun === undefined) throw new Refused(`expected a ${kind} that has begun`);
  return begun;
}

function answering(answer: (received: Received) => Answer | Promise<Answer>): Handle {
  return async (received) => {
    try {
      return await answer(received);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return text(400, error.message);
    }
  };
}
