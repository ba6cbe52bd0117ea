import { line } from '../ask.js';
import { type Flags, readFlag, resolveStoreSettings } from '../config/resolve.js';
import { duration, text } from '../config/values.js';
import { type Io, print } from '../io.js';
import { printJson } from '../output/json.js';
import { tokenRowOf } from '../output/users.js';
import { withParties } from '../parties.js';

/** A bare number means milliseconds: nobody wants a token for thirty of them. */
const LIFE = { min: 1000, max: 36_500 * 86_400_000 };

/** `passkey token create --user USER`: the bearer token and nothing else on stdout. */
export async function run(io: Io, flags: Flags): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const expires = flags.expires === undefined ? undefined : readFlag(io, duration(LIFE), '--expires', flags.expires);
  const label = flags.label === undefined ? undefined : readFlag(io, text({ placeholder: 'label' }), '--label', flags.label);
  const user = typeof flags.user === 'string' ? flags.user : await line(io, 'User (e-mail or TYPE:ID):', 'give --user');

  await withParties(io, { settings, create: false }, async ({ accounts }) => {
    const { type, id } = await accounts.resolveUser(user);
    const { token, access } = await accounts.createToken({
      owner: { type, id },
      ...(expires === undefined ? {} : { expiresAt: io.now() + expires }),
      ...(label === undefined ? {} : { label }),
    });
    if (flags.json === true) printJson(io, { token, ...tokenRowOf(access) });
    else print(io, token);
  });
}
