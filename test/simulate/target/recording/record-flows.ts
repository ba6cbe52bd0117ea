import { asObject } from '../../../../src/kernel/json-value.js';
import { valueAt } from '../../../../src/simulate/target/recording/leaves.js';
import { creationFrom, requestFrom, TYPED } from './record-pages.js';
import { type RecordingBrowser, recordingBrowser } from './recording-browser.js';

const member = (value: unknown, ...keys: readonly string[]): unknown =>
  valueAt(
    value,
    keys.map((key) => ({ key })),
  );

/** Kratos: flows with an id in the URL, nodes in a list, and JSON as text. */
export async function recordKratos(url: string): Promise<RecordingBrowser> {
  const browser = recordingBrowser(url);
  const begin = async (name: string) => (await browser.send(`GET /self-service/${name}/browser`)).json();
  const node = (flow: unknown, name: string): unknown => {
    const nodes = member(flow, 'ui', 'nodes');
    const found = (Array.isArray(nodes) ? nodes : []).find((each: unknown) => member(each, 'attributes', 'name') === name);
    return member(found, 'attributes', 'value');
  };
  const submit = async (flow: unknown, fields: object) => {
    const { pathname, search } = new URL(String(member(flow, 'ui', 'action')));
    const answer = await browser.send(`POST ${pathname}${search}`, { json: { csrf_token: node(flow, 'csrf_token'), ...fields } });
    return answer.json();
  };

  await submit(await begin('registration'), { method: 'password', password: TYPED.password, traits: { email: TYPED.email } });
  const settings = await begin('settings');
  const { publicKey: creation } = asObject(JSON.parse(String(node(settings, 'passkey_create_data'))));
  const created = await browser.client.create({ publicKey: creationFrom(creation) });
  await submit(settings, { method: 'passkey', passkey_settings_register: JSON.stringify(created) });
  browser.forgetCookies();
  const login = await begin('login');
  const { publicKey: request } = asObject(JSON.parse(String(node(login, 'passkey_challenge'))));
  const assertion = await browser.client.get({ publicKey: requestFrom(request) });
  await submit(login, { method: 'passkey', passkey_login: JSON.stringify(assertion) });
  await browser.send('GET /sessions/whoami');
  return browser;
}

/** Hanko's flow API: each answer has the next URL and a new CSRF token. */
export async function recordHankoFlow(url: string): Promise<RecordingBrowser> {
  const browser = recordingBrowser(url);
  const begin = async (name: string) => (await browser.send(`POST /${name}`, { json: {} })).json();
  const act = async (state: unknown, action: string, input: object = {}) => {
    const href = String(member(state, 'actions', action, 'href'));
    const answer = await browser.send(`POST ${href}`, { json: { input_data: input, csrf_token: member(state, 'csrf_token') } });
    return answer.json();
  };
  const capable = { webauthn_available: true };

  const started = await act(await begin('registration'), 'register_client_capabilities', capable);
  const identified = await act(started, 'register_login_identifier', { email: TYPED.email });
  await act(await act(identified, 'skip'), 'register_password', { new_password: TYPED.password });
  const profile = await act(await begin('profile'), 'register_client_capabilities', capable);
  const offered = await act(profile, 'webauthn_credential_create');
  const created = await browser.client.create({ publicKey: creationFrom(member(offered, 'payload', 'creation_options', 'publicKey')) });
  await act(offered, 'webauthn_verify_attestation_response', { public_key: created });
  browser.forgetCookies();
  const login = await act(await begin('login'), 'register_client_capabilities', capable);
  const asked = await act(login, 'webauthn_generate_request_options');
  const assertion = await browser.client.get({ publicKey: requestFrom(member(asked, 'payload', 'request_options', 'publicKey')) });
  await act(asked, 'webauthn_verify_assertion_response', { assertion_response: assertion });
  return browser;
}
