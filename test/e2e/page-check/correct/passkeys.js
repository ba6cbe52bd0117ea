// What the correct pages have in common: the two ceremonies, over a function that sends JSON.
export async function post(path, body, more = {}) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...more.headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw Object.assign(new Error(`The server answered ${response.status}.`), { status: response.status, response });
  return await response.json();
}

export const create = async (options) =>
  await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) });

export const get = async (options, more = {}) =>
  await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options), ...more });

export const asked = (kind) => ({ app_url: location.origin, ...(kind === 'register' && { app_name: 'Shop' }) });

/** A registration or a login, each request sent by `send`. */
export async function run(kind, send = post, base = '/api/passkeys') {
  const options = await send(`${base}/${kind}/options`, asked(kind));
  const credential = await (kind === 'register' ? create(options) : get(options));
  return await send(`${base}/${kind}`, credential.toJSON());
}
