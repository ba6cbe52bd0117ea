import { type Answer, html, json, type Received, routes, serve, type Target } from './http.js';
import { type CeremonySession, createRelyingParty, Refused, type Settings } from './relying-party.js';
import { createSessions } from './sessions.js';

/**
 * The routes of the example server of SimpleWebAuthn, over the package itself: one user, who counts as signed in, and a
 * session by cookie. Unlike the example it spends a challenge with the first answer, keeps one for each ceremony, and
 * takes a credential only once.
 *
 * @param home HTML of `/`, for tests that open a page.
 * @param settings of a site with another name
 */
export function startSimpleWebAuthn(home = '', settings: Partial<Settings> = {}): Promise<Target> {
  return serve((url) => {
    const party = createRelyingParty({
      rpId: 'localhost',
      rpName: 'SimpleWebAuthn Example',
      origins: [url],
      policy: { algorithms: [-7, -257], residentKey: 'discouraged' },
      ...settings,
    });
    const user = party.addUser('user@localhost');
    const sessions = createSessions<CeremonySession>('connect.sid', () => ({}));

    /** A refusal is a 400 with the library's words, but for a signature that does not verify: that is a 200. */
    async function verdict(received: Received, verify: (session: CeremonySession) => Promise<unknown>): Promise<Answer> {
      const { state, headers } = sessions.open(received);
      try {
        await verify(state);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        return error.unverified ? json(200, { verified: false }, headers) : json(400, { error: error.message }, headers);
      }
      return json(200, { verified: true }, headers);
    }

    return routes({
      'GET /': () => html(200, home),
      'GET /generate-registration-options': async (received) => {
        const { state, headers } = sessions.open(received);
        return json(200, await party.creationOptions(state, user), headers);
      },
      'POST /verify-registration': (received) => verdict(received, (session) => party.register(session, received.body)),
      'GET /generate-authentication-options': async (received) => {
        const { state, headers } = sessions.open(received);
        return json(200, await party.requestOptions(state, { user }), headers);
      },
      'POST /verify-authentication': (received) => verdict(received, (session) => party.authenticate(session, received.body)),
    });
  });
}
