import { byId } from '../dom.js';
import type { App } from '../flow/app.js';
import { authenticate } from '../flow/authenticate.js';
import type { Autofill } from '../flow/autofill.js';
import { register } from '../flow/register.js';
import { mountAutofill } from './autofill.js';

/** The forms that stand in index.html: register, log in, autofill; the status line and the line about the server. */
export function mountActions(app: App, autofill: Autofill): void {
  mountRegister(app);
  mountLogin(app);
  mountAutofill(app, autofill);
  mountStatus(app);
  mountNextStep(app);
  app.store.watch(['mode', 'server'], ({ mode, server }) => {
    const action = server === undefined ? '' : ` · login answers with: ${server.authAction}`;
    byId('where', HTMLParagraphElement).textContent = mode === 'unknown' ? location.origin : `${location.origin} · ${mode}${action}`;
  });
}

function mountStatus(app: App): void {
  const bar = byId('status-bar', HTMLDivElement);
  const status = byId('status', HTMLParagraphElement);
  app.store.watch(['status', 'statusFailed'], (state) => {
    bar.classList.toggle('failed', state.statusFailed);
    bar.hidden = state.status === '';
    status.textContent = state.status;
  });
  // The fragment of the address is the set-up: a link must not replace it.
  for (const link of document.querySelectorAll('a.to-happened')) {
    link.addEventListener('click', (event) => {
      event.preventDefault();
      const happened = byId('happened', HTMLElement);
      happened.scrollIntoView();
      happened.focus({ preventScroll: true });
    });
  }
}

function mountRegister(app: App): void {
  const label = byId('label', HTMLInputElement);
  const submit = byId('register-button', HTMLButtonElement);
  const silent = byId('conditional-create', HTMLButtonElement);
  byId('register', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    void register(app, { label: label.value.trim() });
  });
  silent.addEventListener('click', () => void register(app, { label: label.value.trim(), mediation: 'conditional' }));
  app.store.watch(['busy'], ({ busy }) => setBusy(busy, submit, silent));
  app.store.watch(['capabilities'], ({ capabilities }) => {
    silent.hidden = capabilities['conditionalCreate'] !== true;
  });
}

function mountLogin(app: App): void {
  const login = byId('login-button', HTMLButtonElement);
  const verify = byId('verify-button', HTMLButtonElement);
  const cancel = byId('cancel-button', HTMLButtonElement);
  login.addEventListener('click', () => void authenticate(app, { passkey: undefined, endpoint: 'login' }));
  verify.addEventListener('click', () => void authenticate(app, { passkey: undefined, endpoint: 'verify' }));
  cancel.addEventListener('click', () => void app.calls.abort());
  app.store.watch(['busy'], ({ busy }) => {
    setBusy(busy, login, verify);
    byId('waiting', HTMLElement).hidden = busy === undefined;
    byId('waiting-for', HTMLSpanElement).textContent = busy === undefined ? '' : waitingText(busy);
  });
}

function waitingText(busy: string): string {
  return busy.includes('conditional create')
    ? `${busy}: the browser answers only if a password manager has just signed you in here.`
    : `${busy}: the browser waits for you.`;
}

/** One step stands out: whoever is nobody yet signs in or logs in, whoever is somebody registers. */
function mountNextStep(app: App): void {
  const register = byId('register-button', HTMLButtonElement);
  const login = byId('login-button', HTMLButtonElement);
  app.store.watch(['user'], ({ user }) => {
    register.classList.toggle('primary', user !== undefined);
    login.classList.toggle('primary', user === undefined);
  });
}

/** Not `disabled`, which would take the focus away from whoever pressed the button by keyboard. */
function setBusy(busy: string | undefined, ...buttons: readonly HTMLButtonElement[]): void {
  for (const button of buttons) {
    button.setAttribute('aria-disabled', String(busy !== undefined));
  }
}
