import { PasskeyError } from '../../errors.js';
import { count } from '../../webauthn/wording.js';
import { idsOf, NOTHING_CHANGED } from '../arguments.js';
import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { type Io, print, say } from '../io.js';
import { printJson } from '../output/json.js';
import { tokenRowOf } from '../output/users.js';
import { withParties } from '../parties.js';

/** `passkey token revoke ID…`: all of them or, when one id is unknown, none. */
export async function run(io: Io, flags: Flags, idTexts: readonly string[]): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const ids = idsOf('token', idTexts);
  await withParties(io, { settings, create: false }, async ({ accounts }) => {
    const known = new Set((await accounts.listTokens()).map(({ id }) => id));
    const missing = ids.filter((id) => !known.has(id));
    if (missing.length > 0) {
      throw new PasskeyError(
        'token_not_found',
        `No token has the id ${missing.join(', ')}${NOTHING_CHANGED}. \`passkey token list --all\` shows them.`,
      );
    }
    const revoked = [];
    for (const id of ids) revoked.push(await accounts.revokeToken(id));
    if (flags.json === true) printJson(io, { tokens: revoked.map(tokenRowOf) });
    else print(io, revoked.map(({ id }) => id).join('\n'));
    say(io, `Revoked ${count(revoked.length, 'token')}.`);
  });
}
