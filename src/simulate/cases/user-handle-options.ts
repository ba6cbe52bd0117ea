import { decodeBase64url } from '../../webauthn/base64url.js';
import { prepareActor } from '../engine/attempts.js';
import type { Case } from '../engine/case.js';
import { beginRegistration } from '../engine/ceremony.js';
import { flowCase } from '../engine/flows.js';
import { expectTrue } from '../engine/outcome.js';
import type { Session } from '../target/driver.js';

const NAMES = ['user.name', 'user.email'] as const;

/** Lists the names that this tool gave the user. The name in the options is included if it is an email address. */
function listNames(session: Session, name: string): readonly string[] {
  const own = session.names();
  return [...NAMES.map((each) => String(own[each])), ...(name.includes('@') ? [name] : [])];
}

/** Cases about user handles in the options: each identifies one account, never changes, and reveals nothing about the user (§5.4.3). */
export const USER_HANDLE_OPTIONS: readonly Case[] = [
  flowCase({
    id: 'register.user-handle-of-each-user',
    title: 'options for two users, each with a user handle of their own',
    why: 'An authenticator keeps one passkey for each RP ID and user handle. If users share a handle, the passkey of one replaces that of another on a shared device, and a login that names no user cannot tell them apart. Give each account its own random bytes.',
    wants: { users: 2 },
    async run(context) {
      const [one, two] = [await context.session(1), await context.session(2)];
      const [first, second] = [await beginRegistration(context, one), await beginRegistration(context, two)];
      const isOwn = first.user.id !== second.user.id;
      return [{ mismatches: expectTrue('user.id for the second user', 'a different one than for the first user', second.user.id, isOwn) }];
    },
  }),
  flowCase({
    id: 'register.user-handle-kept',
    title: 'options for a second passkey, with the user handle of the first',
    why: 'If each registration gets a new handle, old passkeys of the account remain next to the new one, and a server that looks the account up by handle no longer finds it for them. Store the handle with the account.',
    async run(context) {
      const { session } = await prepareActor(context, await context.session(1));
      const [first, second] = [await beginRegistration(context, session), await beginRegistration(context, session)];
      const isSame = first.user.id === second.user.id;
      return [{ mismatches: expectTrue('user.id', `${first.user.id} again`, second.user.id, isSame) }];
    },
  }),
  flowCase({
    id: 'register.user-handle-anonymous',
    title: 'options with a user handle that is neither address nor name of the user',
    why: 'Authenticators reveal the user handle without user verification, so it must not tell who the user is (§14.6.1). Give each account random bytes.',
    async run(context) {
      const session = await context.session(1);
      const { user } = await beginRegistration(context, session);
      const text = new TextDecoder().decode(decodeBase64url(user.id));
      const isAnonymous = !listNames(session, user.name).includes(text);
      return [{ mismatches: expectTrue('user.id', 'neither the address nor the name of the user', text, isAnonymous) }];
    },
  }),
];
