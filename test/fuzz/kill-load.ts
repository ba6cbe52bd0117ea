import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { type Client, createClient } from '../../src/client/client.js';
import { decodeAuthenticatorData } from '../../src/webauthn/authenticator-data.js';
import { decodeBase64url } from '../../src/webauthn/base64url.js';
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '../../src/webauthn/json.js';
import { APP_URL, call } from '../e2e/relying-party-over-http.js';
import type { Acknowledged } from './acknowledged.js';
import type { Random } from './random.js';

interface Load {
  readonly url: string;
  readonly token: string;
  readonly acknowledged: Acknowledged;
  readonly random: Random;
}

const LANES = 3;

interface Registered {
  readonly passkey: { readonly id: number; readonly credential_id: string; readonly label: string };
}

/** Several users of one server at once: they register, log in, rename and revoke until it answers no more. */
export function loadServer({ url, token, acknowledged, random }: Load) {
  let answered = 0;
  let failed: string | undefined;
  let isOver = false;
  let wake = (): void => {};
  const headers = { authorization: `Bearer ${token}` };
  const count = () => {
    answered += 1;
    wake();
  };

  async function lane(): Promise<void> {
    // Each lane's passkeys are its own, so that what it knows of them is in order.
    const own: { readonly id: number; readonly client: Client; readonly credentialId: string }[] = [];
    while (!isOver) {
      const passkey = own.length === 0 || random.oneIn(3) ? undefined : random.pick(own);
      if (passkey === undefined) own.push(await register());
      else if (acknowledged.isLive(passkey.id)) await random.pick([logIn, logIn, rename, revoke])(passkey);
    }
  }

  async function register() {
    const client = createClient({ authenticator: createAuthenticator({ signCount: { kind: 'global' } }), origin: new URL(APP_URL).origin });
    const options = await send<PublicKeyCredentialCreationOptionsJSON>('POST', 'register/options', { app_name: 'App', app_url: APP_URL });
    const response = await client.create({ publicKey: options });
    const done = acknowledged.registering(Buffer.from(response.id, 'base64url').toString('base64'));
    const { passkey } = await send<Registered>('POST', 'register', { ...response, label: 'new' });
    done(passkey.id, passkey.label);
    count();
    return { id: passkey.id, client, credentialId: response.id };
  }

  async function logIn({ id, client, credentialId }: { readonly id: number; readonly client: Client; readonly credentialId: string }) {
    const options = await send<PublicKeyCredentialRequestOptionsJSON>('POST', 'verify/options', { credential_id: credentialId });
    const response = await client.get({ publicKey: { rpId: new URL(APP_URL).hostname, ...options } });
    await send('POST', random.pick(['login', 'verify']), response);
    acknowledged.used(id, decodeAuthenticatorData(decodeBase64url(response.response.authenticatorData)).signCount);
    count();
  }

  async function rename({ id }: { readonly id: number }) {
    const label = `label ${random.below(1_000)}`;
    const done = acknowledged.renaming(id, label);
    await send('PATCH', `${id}`, { label });
    done();
    count();
  }

  async function revoke({ id }: { readonly id: number }) {
    const done = acknowledged.revoking(id);
    await send('DELETE', `${id}`);
    done();
    count();
  }

  async function send<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    const answer = await call<Body>(method, `${url}/api/passkeys/${path}`, { headers, ...(body === undefined ? {} : { body }) }).catch(
      (cause: unknown) => {
        throw new ServerGone('The server answers no more.', { cause });
      },
    );
    if (answer.status >= 300) throw new Error(`${method} ${path} got ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  const ended = Promise.all(
    Array.from({ length: LANES }, async () => {
      await lane().catch((error: unknown) => {
        isOver = true;
        if (!(error instanceof ServerGone)) failed ??= String(error);
        wake();
      });
    }),
  ).then(() => ({ answered, failed }));

  return {
    /** Resolves with so many answers, or when the load has ended. */
    async answers(least: number): Promise<void> {
      while (answered < least && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    ended,
  };
}

class ServerGone extends Error {
  override readonly name = 'ServerGone';
}
