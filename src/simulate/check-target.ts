import { PasskeyError } from '../errors.js';
import type { RemoteServer } from './cases/stage.js';
import { objectOf } from './scenario.js';

/**
 * Asks a running server once for each token, before hundreds of cases do: that it answers, that it takes the tokens, and that
 * they are of different users, and that it takes ceremonies of the application.
 *
 * @throws PasskeyError `target_unreachable`, or `usage` naming the token by its place; the token itself is a secret.
 */
export async function checkTarget(server: RemoteServer): Promise<void> {
  const { target, tokens } = server;
  if (tokens.length === 0) {
    await target.send({ method: 'GET', path: '/' });
    return;
  }
  const places = new Map<string, number>();
  for (const [index, token] of tokens.entries()) {
    const place = index + 1;
    const userHandle = await userHandleOf(server, token, place);
    const same = userHandle === undefined ? undefined : places.get(userHandle);
    if (same !== undefined) {
      throw new PasskeyError('usage', `--token ${same} and --token ${place} are of the same user; give tokens of two different users.`);
    }
    if (userHandle !== undefined) places.set(userHandle, place);
  }
}

/** Only the options of a registration say whose token it is. Undefined where the server answers in another way; the cases tell. */
async function userHandleOf({ target, application }: RemoteServer, token: string, place: number): Promise<string | undefined> {
  const { status, json } = await target.send({
    method: 'POST',
    path: '/api/passkeys/register/options',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ app_name: 'passkey simulate', app_url: application.origin }),
  });
  if (status === 401) {
    throw new PasskeyError(
      'usage',
      `${target.url.origin} refuses --token ${place} (401); give a bearer token of a user of that server that has neither expired nor been revoked.`,
    );
  }
  if (status === 403 && objectOf(json).code === 'origin_not_allowed') {
    throw new PasskeyError(
      'usage',
      `${target.url.origin} takes no ceremonies of ${application.origin} (403); name an application that it was started for (--origin) with --app-url.`,
    );
  }
  const { id } = objectOf(objectOf(json).user);
  return typeof id === 'string' ? id : undefined;
}
