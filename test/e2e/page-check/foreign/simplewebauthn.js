/* oxlint-disable typescript/no-misused-promises, typescript/no-floating-promises -- as the example has it */
// As example/public/register and example/public/login of SimpleWebAuthn 14.0.0.
import { browserSupportsWebAuthnAutofill, startAuthentication, startRegistration } from '@simplewebauthn/browser';

async function post(path, body) {
  const response = await fetch(`/api/passkeys${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return await response.json();
}

const output = document.querySelector('#out');

document.querySelector('#register').addEventListener('click', async () => {
  output.textContent = '';
  const optionsJSON = await post('/register/options', { app_name: 'Shop', app_url: location.origin });
  let response;
  try {
    response = await startRegistration({ optionsJSON });
  } catch (error) {
    output.textContent = error.name === 'InvalidStateError' ? 'Error: Authenticator was probably already registered by user' : error;
    throw error;
  }
  const verification = await post('/register', response);
  output.textContent = verification?.passkey ? 'Success' : JSON.stringify(verification);
});

document.querySelector('#login').addEventListener('click', async () => {
  output.textContent = '';
  const optionsJSON = await post('/login/options', { app_url: location.origin });
  let response;
  try {
    response = await startAuthentication({ optionsJSON });
  } catch (error) {
    output.textContent = error;
    throw new Error(error);
  }
  const verification = await post('/login', response);
  output.textContent = verification?.user ? 'Success' : JSON.stringify(verification);
});

browserSupportsWebAuthnAutofill().then(async (isSupported) => {
  if (!isSupported) return;
  const optionsJSON = await post('/login/options', { app_url: location.origin });
  startAuthentication({ optionsJSON, useBrowserAutofill: true })
    .then((response) => post('/login', response))
    .catch((error) => console.error(error));
});
