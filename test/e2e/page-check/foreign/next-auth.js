// As https://authjs.dev/getting-started/providers/passkey.
import { signIn } from 'next-auth/webauthn';

document.querySelector('#register').addEventListener('click', () => signIn('passkey', { action: 'register' }));
document.querySelector('#login').addEventListener('click', () => signIn('passkey'));
