import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import type { AuthenticatorOptions } from '../../src/authenticator/settings.js';
import { type ClientOptions, createClient } from '../../src/client/client.js';
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '../../src/webauthn/json.js';

export const APP_URL = 'https://app.example.com/';

export interface Answer<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export async function call<Body>(
  method: string,
  url: string,
  o: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer<Body>> {
  const sent = o.body === undefined ? {} : { body: JSON.stringify(o.body) };
  const type = o.body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(url, { method, headers: { ...type, ...o.headers }, ...sent });
  const text = await response.text();
  const json = response.headers.get('content-type')?.includes('json') === true;
  return { status: response.status, headers: response.headers, body: (json ? JSON.parse(text) : text) as Body };
}

/** A software browser that talks to a served relying party as the user of a bearer token. */
export function browserAt(url: string, token: string, traits: AuthenticatorOptions = {}, client: Partial<ClientOptions> = {}) {
  const browser = createClient({ authenticator: createAuthenticator(traits), origin: new URL(APP_URL).origin, ...client });
  const headers = { authorization: `Bearer ${token}` };
  const optionsOfRegistration = () =>
    call<PublicKeyCredentialCreationOptionsJSON>('POST', `${url}/api/passkeys/register/options`, {
      headers,
      body: { app_name: 'App', app_url: APP_URL },
    });
  return {
    optionsOfRegistration,
    async register() {
      const { body: publicKey } = await optionsOfRegistration();
      const response = await browser.create({ publicKey });
      return { id: response.id, ...(await call('POST', `${url}/api/passkeys/register`, { headers, body: response })) };
    },
    async logIn(id: string, path: 'login' | 'verify' = 'login') {
      const options = await call<PublicKeyCredentialRequestOptionsJSON>('POST', `${url}/api/passkeys/verify/options`, {
        body: { credential_id: id },
      });
      if (options.status !== 200) return options;
      const response = await browser.get({ publicKey: { rpId: new URL(APP_URL).hostname, ...options.body } });
      return call('POST', `${url}/api/passkeys/${path}`, { body: response });
    },
  };
}
