/* oxlint-disable typescript/no-misused-promises, typescript/no-floating-promises -- as the example has it */
// As https://www.better-auth.com/docs/plugins/passkey: addPasskey() for a user who is signed in, and signIn.passkey().
import { passkeyClient } from '@better-auth/passkey/client';
import { createAuthClient } from 'better-auth/client';

const client = createAuthClient({ plugins: [passkeyClient()] });
const output = document.querySelector('#out');
let users = 0;

document.querySelector('#register').addEventListener('click', async () => {
  users += 1;
  const email = `${crypto.randomUUID()}-${users}@example.com`;
  await client.signUp.email({ name: 'Ada', email, password: 'correct horse' });
  const result = await client.passkey.addPasskey();
  output.textContent = result?.error?.message ?? 'Success';
});

document.querySelector('#login').addEventListener('click', async () => {
  const result = await client.signIn.passkey();
  output.textContent = result?.error?.message ?? 'Success';
});
