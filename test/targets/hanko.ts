import type { PublicKeyCredentialDescriptorJSON } from '@simplewebauthn/server';
import { asObject, isObject } from '../../src/kernel/json-value.js';
import { type Answer, cookie, forget, type Handle, json, type Received, routes, serve, type Target } from './http.js';
import { type CeremonySession, createRelyingParty, Refused, type User } from './relying-party.js';

/**
 * A mock: not Hanko itself, but a server of the shape of its older public API (before its flow API). A user is made first
 * and signed in by it, with a token in a cookie; options stand below `publicKey` with padded base64; a ceremony is found
 * by its challenge; a refused registration is a 400, a refused login a 401.
 */
export function startHanko(): Promise<Target> {
  return serve((url) => {
    const party = createRelyingParty({
      rpId: 'localhost',
      rpName: 'Hanko',
      origins: [url],
      policy: { algorithms: [-7, -35, -36, -257, -258, -259, -37, -38, -39, -8], residentKey: 'required', attestation: 'direct' },
    });
    const tokens = new Map<string, string>();
    const ceremonies = new Map<string, CeremonySession & { readonly userId?: string }>();

    function signIn(user: User): Record<string, string> {
      const token = crypto.randomUUID();
      tokens.set(token, user.id);
      return { 'set-cookie': cookie(COOKIE, token) };
    }

    /** For signed-in users only; others get a 401. */
    const signedIn =
      (handle: (received: Received, user: User) => Answer | Promise<Answer>): Handle =>
      (received) => {
        const token = received.cookies.get(COOKIE) ?? /^Bearer (.+)$/.exec(received.headers.authorization ?? '')?.[1] ?? '';
        const user = party.userOf(tokens.get(token) ?? '');
        return user === undefined ? failure(401, 'missing or malformed jwt') : handle(received, user);
      };

    /** Taken with its first answer, whatever becomes of it. */
    function takeCeremony(credential: unknown) {
      const challenge = challengeOf(credential);
      const ceremony = ceremonies.get(challenge);
      ceremonies.delete(challenge);
      return ceremony;
    }

    return routes({
      'POST /users': ({ body }) => {
        const { email } = asObject(body);
        if (typeof email !== 'string' || !email.includes('@')) return failure(400, 'email must be a valid email address');
        if (party.findUser(email) !== undefined) return failure(409, 'Conflict');
        const user = party.addUser(email);
        return json(200, { id: user.id, user_id: user.id, email_id: crypto.randomUUID() }, signIn(user));
      },
      'GET /me': signedIn((_received, user) => json(200, { id: user.id })),
      'DELETE /user': signedIn((_received, user) => {
        party.removeUser(user);
        return { status: 204, headers: { 'set-cookie': forget(COOKIE) }, body: '' };
      }),
      'POST /logout': signedIn((received) => {
        tokens.delete(received.cookies.get(COOKIE) ?? '');
        return { status: 204, headers: { 'set-cookie': forget(COOKIE) }, body: '' };
      }),
      'GET /webauthn/credentials': signedIn((_received, user) =>
        json(
          200,
          party.passkeysOf(user).map(({ credential }) => ({ id: credential.id })),
        ),
      ),
      'DELETE /webauthn/credentials/:id': signedIn(({ params }, user) => {
        const passkey = party.passkeysOf(user).find(({ credential }) => credential.id === params['id']);
        if (passkey === undefined) return failure(404, 'Not Found');
        party.removePasskey(passkey);
        return { status: 204, headers: {}, body: '' };
      }),

      'POST /webauthn/registration/initialize': signedIn(async (_received, user) => {
        const session: CeremonySession & { readonly userId: string } = { userId: user.id };
        const { excludeCredentials: _none, ...options } = await party.creationOptions(session, user);
        ceremonies.set(options.challenge, session);
        const publicKey = { ...options, challenge: padded(options.challenge), user: { ...options.user, id: padded(options.user.id) } };
        return json(200, { publicKey });
      }),
      'POST /webauthn/registration/finalize': signedIn(({ body }, user) =>
        refusing(400, async () => {
          const ceremony = takeCeremony(body);
          if (ceremony?.userId !== user.id) throw new Refused(MISMATCH);
          const { passkey } = await party.register(ceremony, body);
          return json(200, { credential_id: passkey.credential.id, user_id: user.id });
        }),
      ),

      'POST /webauthn/login/initialize': async ({ body }) => {
        const { user_id: userId } = asObject(body);
        const user = typeof userId === 'string' ? party.userOf(userId) : undefined;
        if (userId !== undefined && user === undefined) return failure(400, 'user not found');
        const session: CeremonySession = {};
        // Without passkeys the user is not named.
        const named = user !== undefined && party.passkeysOf(user).length > 0;
        const options = await party.requestOptions(session, named ? { user } : {});
        ceremonies.set(options.challenge, session);
        const { allowCredentials } = options;
        return json(200, {
          publicKey: {
            ...options,
            challenge: padded(options.challenge),
            ...(allowCredentials && { allowCredentials: allowCredentials.map(withoutTransports) }),
          },
        });
      },
      'POST /webauthn/login/finalize': ({ body }) =>
        refusing(401, async () => {
          const ceremony = takeCeremony(body);
          if (ceremony === undefined) throw new Refused(MISMATCH);
          const { user, passkey } = await party.authenticate(ceremony, body);
          return json(200, { credential_id: passkey.credential.id, user_id: user.id }, signIn(user));
        }),
    });
  });
}

const COOKIE = 'hanko';
const MISMATCH = 'Stored challenge and received challenge do not match';

const failure = (code: number, message: string) => json(code, { code, message });
const padded = (base64url: string) => Buffer.from(base64url, 'base64url').toString('base64');
const withoutTransports = ({ id, type }: PublicKeyCredentialDescriptorJSON) => ({ id: padded(id), type });

async function refusing(status: number, answer: () => Promise<Answer>): Promise<Answer> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return failure(status, error.message);
  }
}

/** What the client data of a credential say, or an empty text where they cannot be read. */
function challengeOf(credential: unknown): string {
  try {
    const { clientDataJSON } = asObject(asObject(credential)['response']);
    const clientData: unknown = JSON.parse(new TextDecoder().decode(Buffer.from(String(clientDataJSON), 'base64url')));
    return isObject(clientData) ? String(clientData['challenge']) : '';
  } catch {
    return '';
  }
}
