import { asObject } from '../../../src/kernel/json-value.js';
import { json, type Received, routes, serve, type Target } from '../../targets/http.js';
import { type CeremonySession, createRelyingParty, Refused, type User } from '../../targets/relying-party.js';
import { createSessions } from '../../targets/sessions.js';

interface Session extends CeremonySession {
  user?: User | undefined;
}

/** JSON as most tutorials have it; a refused login is answered 200 with `verified: false`, and pages of another origin with 403. */
/** @param page origin of its pages, where it is not its own */
export function startPlainServer(page?: string): Promise<Target> {
  return serve((own) => {
    const url = page ?? own;
    const party = createRelyingParty({ rpId: 'localhost', rpName: 'Plain', origins: [url], policy: { algorithms: [-7, -257] } });
    const sessions = createSessions<Session>('plain', () => ({}));
    const fromOwnPage = ({ headers }: Received) => headers.origin === url;

    return routes({
      async 'POST /register/options'(received) {
        const { username } = asObject(received.body);
        if (!fromOwnPage(received)) return json(403, { message: 'Requests of other pages are not answered.' });
        if (typeof username !== 'string') return json(400, { message: 'The member username is missing.' });
        const { state, headers } = sessions.open(received);
        const options = await party.creationOptions(state, party.findUser(username) ?? party.addUser(username));
        return json(200, { data: { options } }, headers);
      },
      async 'POST /register'(received) {
        const { credential } = asObject(received.body);
        const session = sessions.find(received);
        try {
          const { user, passkey } = await party.register(session ?? {}, credential);
          if (session !== undefined) session.user = user;
          return json(200, { verified: true, passkey: { id: passkey.credential.id } });
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          return json(200, { verified: false });
        }
      },
      async 'POST /login/options'(received) {
        const { state, headers } = sessions.open(received);
        const user = party.findUser(String(asObject(received.body)['username']));
        return json(200, await party.requestOptions(state, { ...(user && { user }) }), headers);
      },
      async 'POST /login'(received) {
        const session = sessions.find(received);
        try {
          const { user } = await party.authenticate(session ?? {}, asObject(received.body)['credential']);
          if (session !== undefined) session.user = user;
          return json(200, { verified: true });
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          return json(200, { verified: false });
        }
      },
      'GET /me'(received) {
        const user = sessions.find(received)?.user;
        return user === undefined ? json(401, {}) : json(200, { name: user.name });
      },
      'GET /passkeys'(received) {
        const user = sessions.find(received)?.user;
        return user === undefined
          ? json(401, {})
          : json(200, { passkeys: party.passkeysOf(user).map(({ credential: { id } }) => ({ id })) });
      },
      'DELETE /passkeys/:id'(received) {
        const user = sessions.find(received)?.user;
        const passkey = user && party.passkeysOf(user).find(({ credential: { id } }) => id === received.params['id']);
        if (passkey === undefined) return json(404, {});
        party.removePasskey(passkey);
        return json(200, {});
      },
      'POST /logout'(received) {
        sessions.end(received);
        return json(200, {});
      },
    });
  });
}
