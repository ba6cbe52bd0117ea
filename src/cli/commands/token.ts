import { PasskeyError } from '../../errors.js';
import { count, formatMinute } from '../../webauthn/wording.js';
import { idsOf, NOTHING_CHANGED } from '../arguments.js';
import { line } from '../ask.js';
import { type Flags, readFlag, resolveStoreSettings } from '../config/resolve.js';
import { duration, text } from '../config/values.js';
import { type Io, print, printJson, say } from '../io.js';
import { tokenRowOf } from '../output/tokens.js';
import { withParties } from '../parties.js';

/** At least a second: a bare number means milliseconds, and `30` is a slip for `30d`. */
const LIFE = { min: 1000, max: 36_500 * 86_400_000 };

/** `passkey token create --user USER`: the bearer token and nothing else on stdout. */
export async function create(io: Io, flags: Flags): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const expires = flags.expires === undefined ? undefined : readFlag(io, duration(LIFE), '--expires', flags.expires);
  const label = flags.label === undefined ? undefined : readFlag(io, text({ placeholder: 'label' }), '--label', flags.label);
  const user = typeof flags.user === 'string' ? flags.user : await line(io, 'User (e-mail or TYPE:ID):', 'give --user');

  await withParties(io, { settings, create: false }, async ({ accounts }) => {
    const { type, id } = await accounts.resolveUser(user);
    const wanted = {
      owner: { type, id },
      ...(expires === undefined ? {} : { expiresAt: io.now() + expires }),
      ...(label === undefined ? {} : { label }),
    };
    const { token, access } = await accounts.createToken(wanted, { via: 'passkey token create' });
    if (flags.json === true) printJson(io, { token, ...tokenRowOf(access) });
    else print(io, token);
  });
}

/** `passkey token revoke ID…`: all of them or, when one id is unknown, none. */
export async function revoke(io: Io, flags: Flags, idTexts: readonly string[]): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const ids = idsOf('token', idTexts);
  await withParties(io, { settings, create: false }, async ({ accounts }) => {
    const before = new Map((await accounts.listTokens()).map((token) => [token.id, token]));
    const missing = ids.filter((id) => !before.has(id));
    if (missing.length > 0) {
      throw new PasskeyError(
        'token_not_found',
        `No token has the id ${missing.join(', ')}${NOTHING_CHANGED}. Run \`passkey token list --all\` to see them.`,
      );
    }
    const tokens = await Promise.all(ids.map((id) => accounts.revokeToken(id, { via: 'passkey token revoke' })));
    if (flags.json === true) printJson(io, { tokens: tokens.map(tokenRowOf) });
    else print(io, ids.join('\n'));
    let revoked = 0;
    for (const id of ids) {
      const since = before.get(id)?.revokedAt;
      if (since === undefined) revoked += 1;
      else say(io, `Token ${id} has been revoked since ${formatMinute(since)} UTC; left unchanged.`);
    }
    say(io, revoked === 0 ? 'Nothing to revoke.' : `Revoked ${count(revoked, 'token')}.`);
  });
}
