import { encodeUtf8 } from '../../../kernel/bytes.js';
import { encodeBase64url } from '../../../webauthn/base64url.js';
import { prepareActor } from '../../engine/attempts.js';
import { type Case, listRows, type Rows } from '../../engine/case.js';
import { findSource } from '../../engine/ceremony.js';
import { type AuthenticationSpec, authenticationCase } from '../../engine/ceremony-cases.js';
import { appendByte, editInner, setInner } from '../../engine/edits.js';
import { denied } from '../../engine/outcome.js';
import { DISCOVERABLE } from '../values.js';

interface HandleRow extends Pick<AuthenticationSpec, 'title' | 'why' | 'edits' | 'wants' | 'severalCeremonies'> {
  readonly code?: string;
}

const IDENTIFIES =
  'If the login named no user, the user handle says who logs in. Without it the user is unknown, so refuse the login instead of guessing.';
const MATCHES =
  'The user handle is not signed, so the sender of the response can write any value. A server that signs in that user without checking who owns the credential lets every user sign in as anyone. Compare all bytes of the handle with that of the account that owns the credential.';

/**
 * Replaces the user handle with that of user 2. User 2 gets a passkey first, because a server may know user handles only through passkeys.
 */
const ofAnotherUser: AuthenticationSpec['edits'] = async ({ context }) => {
  const { browser, passkey } = await prepareActor(context, await context.session(2), { traits: DISCOVERABLE });
  const { user } = await findSource(browser, passkey.rpId, passkey.credentialId);
  return { response: setInner({ userHandle: encodeBase64url(user.id) }) };
};

const discoverable = { wants: { login: 'discoverable' } } as const;

const ROWS: Rows<HandleRow> = {
  foreign: {
    title: 'a user handle that belongs to no account',
    edits: { response: setInner({ userHandle: encodeBase64url(encodeUtf8('4711')) }) },
    why: MATCHES,
  },
  'of-another-user': {
    title: "another user's handle with the sender's own passkey, at a login that names no user",
    wants: { login: 'discoverable', users: 2 },
    severalCeremonies: true,
    edits: ofAnotherUser,
    why: MATCHES,
  },
  'of-another-user-named': {
    title: "another user's handle with the sender's own passkey, at a login that names the user",
    wants: { login: 'named', users: 2 },
    severalCeremonies: true,
    edits: ofAnotherUser,
    why: MATCHES,
  },
  longer: {
    title: 'the right user handle with a zero byte after it',
    ...discoverable,
    edits: { response: editInner('userHandle', appendByte(0)) },
    why: MATCHES,
  },
  missing: {
    title: 'a discoverable login without a user handle',
    ...discoverable,
    edits: { response: setInner({ userHandle: undefined }) },
    why: IDENTIFIES,
    code: 'user_handle_missing',
  },
  empty: {
    title: 'a discoverable login with an empty user handle',
    ...discoverable,
    edits: { response: setInner({ userHandle: '' }) },
    why: IDENTIFIES,
    code: 'user_handle_missing',
  },
};

/** Cases about the user handle of a login (§7.2 step 6). */
export const USER_HANDLES: readonly Case[] = listRows(ROWS).map(({ what, code = 'user_handle_mismatch', ...row }) =>
  authenticationCase({
    ...row,
    id: `login.user-handle-${what}`,
    ...(row.wants?.login === 'discoverable' && { browser: DISCOVERABLE }),
    expected: denied(code, 'user-handle'),
  }),
);
