/* oxlint-disable typescript/no-misused-promises, typescript/no-floating-promises -- as the example has it */
// As the README of @github/webauthn-json 2.1.1: parse, call, send.
import { create, get, parseCreationOptionsFromJSON, parseRequestOptionsFromJSON } from '@github/webauthn-json/browser-ponyfill';

async function post(path, body) {
  const response = await fetch(`/api/passkeys${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return await response.json();
}

document.querySelector('#register').addEventListener('click', async () => {
  const json = await post('/register/options', { app_name: 'Shop', app_url: location.origin });
  const response = await create(parseCreationOptionsFromJSON({ publicKey: json }));
  await post('/register', response);
});

document.querySelector('#login').addEventListener('click', async () => {
  const json = await post('/login/options', { app_url: location.origin });
  const response = await get(parseRequestOptionsFromJSON({ publicKey: json }));
  await post('/login', response);
});
