import { asObject } from '../../../../src/kernel/json-value.js';
import { valueAt } from '../../../../src/simulate/target/recording/leaves.js';
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '../../../../src/webauthn/json.js';
import { API_KEY } from './recorded-servers.js';
import { type RecordingBrowser, recordingBrowser } from './recording-browser.js';

/** What the person of the recordings types; none of it may be in a profile. */
export const TYPED = { email: 'grace.hopper@example.com', name: 'Grace Hopper', password: 'nanosecond-1906' };

const member = (value: unknown, ...keys: readonly string[]): unknown =>
  valueAt(
    value,
    keys.map((key) => ({ key })),
  );
const base64 = (text: unknown): string => Buffer.from(String(text ?? ''), 'base64url').toString('base64');

export const creationFrom = (value: unknown): PublicKeyCredentialCreationOptionsJSON => JSON.parse(JSON.stringify(value));
export const requestFrom = (value: unknown): PublicKeyCredentialRequestOptionsJSON => JSON.parse(JSON.stringify(value));

/** A person signs up, registers a passkey, signs out, logs in with it, and removes it. */
export async function recordGraphQl(url: string): Promise<RecordingBrowser> {
  const browser = recordingBrowser(url);
  const call = async (operationName: string, variables: object, token?: string) => {
    const headers = { 'x-api-key': API_KEY, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
    const query = `${operationName === 'me' ? 'query' : 'mutation'} ${operationName}($input: Input!) { ${operationName}(input: $input) { id } }`;
    const answer = await browser.send('POST /graphql', { json: { operationName, query, variables }, headers });
    return member(answer.json(), 'data', operationName);
  };
  await browser.send('GET /logo.png');
  const token = String(member(await call('signUp', TYPED), 'accessToken'));
  await browser.send('POST /collect', { json: { event: 'signed up' } });
  const begun = await call('beginRegistration', {}, token);
  const created = await browser.client.create({ publicKey: creationFrom(member(begun, 'ceremony', 'options')) });
  const registered = await call('finishRegistration', { credential: created, label: 'My key' }, token);
  const login = await call('beginLogin', {});
  const { publicKey } = asObject(JSON.parse(String(member(login, 'requestOptionsJson'))));
  const assertion = await browser.client.get({ publicKey: requestFrom(publicKey) });
  const finished = await call('finishLogin', { ceremonyId: member(login, 'ceremonyId'), credential: assertion });
  await call('me', {}, String(member(finished, 'accessToken')));
  await browser.send(`DELETE /passkeys/${String(member(registered, 'id'))}`, {
    headers: { 'x-api-key': API_KEY, authorization: `Bearer ${token}` },
  });
  return browser;
}

/** The same with pages and forms. */
export async function recordForms(url: string): Promise<RecordingBrowser> {
  const browser = recordingBrowser(url);
  const csrfOf = (text: string) => /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
  const optionsOf = (text: string): unknown => JSON.parse(/const options = (.*);/.exec(text)?.[1] ?? 'null');
  const page = { headers: { accept: 'text/html,application/xhtml+xml' } };

  const signUp = await browser.send('GET /sign-up', page);
  const start = await browser.send('POST /sign-up', {
    ...page,
    form: { _csrf: csrfOf(signUp.text), 'user[email]': TYPED.email, 'user[password]': TYPED.password },
  });
  const { rawId, response } = await browser.client.create({ publicKey: creationFrom(optionsOf(start.text)) });
  await browser.send('POST /passkeys', {
    ...page,
    form: {
      _csrf: csrfOf(start.text),
      credentialId: base64(rawId),
      clientDataJSON: base64(response.clientDataJSON),
      attestationObject: base64(response.attestationObject),
      transports: 'internal,hybrid',
    },
  });
  await browser.send('POST /sign-out', { ...page, form: { _csrf: csrfOf(start.text) } });
  const login = await browser.send('GET /login', page);
  const { publicKey } = asObject(optionsOf(login.text));
  const assertion = await browser.client.get({ publicKey: requestFrom(publicKey) });
  await browser.send('POST /login', {
    ...page,
    form: {
      _csrf: csrfOf(login.text),
      credentialId: base64(assertion.rawId),
      clientDataJSON: base64(assertion.response.clientDataJSON),
      authenticatorData: base64(assertion.response.authenticatorData),
      signature: base64(assertion.response.signature),
      userHandle: base64(assertion.response.userHandle),
    },
  });
  await browser.send('GET /api/me');
  return browser;
}

/** A page that gets a challenge, and builds the options around it. */
export async function recordChallenges(url: string): Promise<RecordingBrowser> {
  const browser = recordingBrowser(url);
  await browser.send('GET /page.js');
  const begun = (await browser.send('POST /register/challenge', { json: { email: TYPED.email } })).json();
  const challenge = Buffer.from(String(member(begun, 'challenge')), 'base64').toString('base64url');
  const user = { id: member(begun, 'user', 'id'), name: TYPED.email, displayName: TYPED.name };
  const pubKeyCredParams = [{ type: 'public-key', alg: -7 }];
  const creation = { rp: { name: 'Page' }, user, challenge, pubKeyCredParams, authenticatorSelection: { residentKey: 'required' } };
  await browser.send('POST /register', { json: await browser.client.create({ publicKey: creationFrom(creation) }) });
  browser.forgetCookies();
  const login = await browser.send('GET /login/challenge');
  await browser.send('POST /login', { json: await browser.client.get({ publicKey: { challenge: login.text } }) });
  await browser.send('GET /me');
  return browser;
}

/** A page of one origin and a server of another; the login is told who logs in. */
export async function recordPlain(url: string, origin: string): Promise<RecordingBrowser> {
  const browser = recordingBrowser(origin);
  const call = async (path: string, json: object) => (await browser.send(`POST ${url}${path}`, { json })).json();
  const begun = await call('/register/options', { username: 'grace' });
  const created = await browser.client.create({ publicKey: creationFrom(member(begun, 'data', 'options')) });
  const registered = await call('/register', { credential: created });
  browser.forgetCookies();
  const assertion = await browser.client.get({ publicKey: requestFrom(await call('/login/options', { username: 'grace' })) });
  await call('/login', { credential: assertion });
  await browser.send(`DELETE ${url}/passkeys/${String(member(registered, 'passkey', 'id'))}`);
  return browser;
}
