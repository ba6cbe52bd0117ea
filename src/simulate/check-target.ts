import { PasskeyError } from '../errors.js';
import { applicationUrl, type RemoteServer } from './cases/stage.js';
import { objectOf } from './scenario.js';

/**
 * Asks a running server once for each token, before hundreds of cases do: that it answers, that it takes the tokens, and that
 * they are of different users.
 *
 * @throws PasskeyError `target_unreachable`, or `usage` naming the token by its place; the token itself is a secret.
 */
export async function checkTarget({ target, tokens }: RemoteServer): Promise<void> {
  if (tokens.length === 0) {
    await target.send({ method: 'GET', path: '/' });
    return;
  }
  const places = new Map<string, number>();
  for (const [index, token] of tokens.entries()) {
    const place = index + 1;
    const userHandle = await userHandleOf({ target, token, place });
    const same = userHandle === undefined ? undefined : places.get(userHandle);
    if (same !== undefined) {
      throw new PasskeyError('usage', `--token ${same} and --token ${place} are of the same user; give tokens of two different users.`);
    }
    if (userHandle !== undefined) places.set(userHandle, place);
  }
}

/** Only the options of a registration say whose token it is. Undefined where the server answers in another way; the cases tell. */
async function userHandleOf(o: { target: RemoteServer['target']; token: string; place: number }): Promise<string | undefined> {
  const { status, json } = await o.target.send({
    method: 'POST',
    path: '/api/passkeys/register/options',
    headers: { authorization: `Bearer ${o.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ app_name: 'passkey simulate', app_url: applicationUrl(o.target.url).origin }),
  });
  if (status === 401) {
    throw new PasskeyError(
      'usage',
      `${o.target.url.origin} refuses --token ${o.place} (401); give a bearer token of a user of that server that has neither expired nor been revoked.`,
    );
  }
  const { id } = objectOf(objectOf(json).user);
  return typeof id === 'string' ? id : undefined;
}
