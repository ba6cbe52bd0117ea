import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { escapeHtml } from './http.js';

/** The pages of the Keycloak target: forms, and options as literals of a script, as the themes of the original write them. */

/** A page of any kind. */
function page(title: string, content: string): string {
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>
<body id="keycloak-bg"><main>${content}</main></body></html>`;
}

function hidden(names: readonly string[]): string {
  return names.map((name) => `<input type="hidden" id="${name}" name="${name}"/>`).join('\n');
}

function alert(text: string | undefined): string {
  return text === undefined ? '' : `<span class="kc-feedback-text">${escapeHtml(text)}</span>`;
}

/** What a script reads; the script runs in no browser here. `</` would end the element. */
function literal(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', String.raw`\u003c`);
}

export function registrationPage(action: string, error?: string): string {
  const fields = ['username', 'email', 'firstName', 'lastName', 'password', 'password-confirm'];
  const inputs = fields.map((name) => `<input id="${name}" name="${name}"/>`).join('\n');
  return page(
    'Register',
    `${alert(error)}<form id="kc-register-form" action="${escapeHtml(action)}" method="post">${inputs}<input type="submit" value="Register"/></form>`,
  );
}

/** The form of the password, and the hidden one of a passkey, which needs no user name. */
export function loginPage(action: string, options: PublicKeyCredentialRequestOptionsJSON, error?: string): string {
  const fields = ['clientDataJSON', 'authenticatorData', 'signature', 'credentialId', 'userHandle', 'error'];
  return page(
    'Sign in',
    `${alert(error)}
<form id="kc-form-login" action="${escapeHtml(action)}" method="post">
<input id="username" name="username" autocomplete="username webauthn"/><input id="password" name="password" type="password"/>
</form>
<form id="webauth" action="${escapeHtml(action)}" method="post">${hidden(fields)}</form>
<script type="module">
  import { authenticateByWebAuthn } from "/resources/login/js/webauthnAuthenticate.js";
  const args = {
    isUserIdentified : false,
    challenge : ${literal(options.challenge)},
    userVerification : ${literal(options.userVerification ?? 'not specified')},
    rpId : ${literal(options.rpId)},
    createTimeout : ${(options.timeout ?? 0) / 1000}
  };
  const authButton = document.getElementById('authenticateWebAuthnButton');
  authButton.addEventListener("click", () => authenticateByWebAuthn({errmsg : "", ...args}));
</script>
<a id="authenticateWebAuthnButton" href="#">Sign in with Passkey</a>`,
  );
}

export function passkeyPage(action: string, options: PublicKeyCredentialCreationOptionsJSON): string {
  const fields = ['clientDataJSON', 'attestationObject', 'publicKeyCredentialId', 'authenticatorLabel', 'transports', 'error'];
  const { authenticatorSelection: selection = {} } = options;
  return page(
    'Passkey Registration',
    `<form id="register" action="${escapeHtml(action)}" method="post">${hidden(fields)}</form>
<script type="module">
  import { registerByWebAuthn } from "/resources/login/js/webauthnRegister.js";
  const registerButton = document.getElementById('registerWebAuthn');
  registerButton.addEventListener("click", function() {
    const input = {
      challenge : ${literal(options.challenge)},
      userid : ${literal(options.user.id)},
      username : ${literal(options.user.name)},
      signatureAlgorithms : [${options.pubKeyCredParams.map(({ alg }) => `${alg},`).join('')}],
      rpEntityName : ${literal(options.rp.name)},
      rpId : ${literal(options.rp.id)},
      attestationConveyancePreference : "not specified",
      authenticatorAttachment : "not specified",
      requireResidentKey : ${literal(selection.requireResidentKey === true ? 'Yes' : 'not specified')},
      userVerificationRequirement : ${literal(selection.userVerification ?? 'not specified')},
      createTimeout : ${(options.timeout ?? 0) / 1000},
      excludeCredentialIds : ${literal((options.excludeCredentials ?? []).map(({ id }) => id).join(','))},
      initLabel : "Passkey (Default Label)"
    };
    registerByWebAuthn(input);
  }, { once: true });
</script>
<input type="submit" id="registerWebAuthn" value="Register"/>`,
  );
}

/** Asks whether the account is to be deleted. */
export function deletionPage(action: string): string {
  return page(
    'Delete account confirmation',
    `<form action="${escapeHtml(action)}" class="form-vertical" method="post">
<input type="submit" value="Confirm deletion"/><button type="submit" name="cancel-aia" value="true">Cancel</button></form>`,
  );
}

/** What comes of a passkey registration that is refused: a page with status 200. */
export function errorPage(action: string, error: string): string {
  return page(
    'Passkey Error',
    `${alert(error)}<form id="kc-error-credential-form" action="${escapeHtml(action)}" method="post">${hidden(['authenticationExecution', 'isSetRetry'])}</form>
<input type="button" id="kc-try-again" value="Try again"/>`,
  );
}

export function infoPage(title: string, text: string): string {
  return page(title, `<p class="instruction">${escapeHtml(text)}</p>`);
}
