import { byId } from '../dom.js';
import type { App } from '../flow/app.js';
import { authenticate } from '../flow/authenticate.js';
import type { Autofill } from '../flow/autofill.js';
import { register } from '../flow/register.js';
import { formatClock } from './time.js';

/** What index.html already contains: the forms to register, log in and autofill, the status line and the line about the server. */
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
  // The fragment of the address holds the setup: a link must not replace it.
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
    : `${busy}: waiting for you to answer the browser.`;
}

/** Highlights the next step: log in for signed-out users, register for signed-in ones. */
function mountNextStep(app: App): void {
  const register = byId('register-button', HTMLButtonElement);
  const login = byId('login-button', HTMLButtonElement);
  app.store.watch(['user'], ({ user }) => {
    register.classList.toggle('primary', user !== undefined);
    login.classList.toggle('primary', user === undefined);
  });
}

/** Not `disabled`: a disabled button would lose the focus of a keyboard user. */
function setBusy(busy: string | undefined, ...buttons: readonly HTMLButtonElement[]): void {
  for (const button of buttons) {
    button.setAttribute('aria-disabled', String(busy !== undefined));
  }
}

/** Milliseconds without a change of the options after which the waiting request is replaced. */
const SETTLED = 400;

const STATES = {
  off: 'Not waiting. Focus the field to start again.',
  arming: 'Asking the server for a challenge…',
  armed: 'Waiting. Focus the field and pick a passkey.',
  unavailable: 'This browser does not support conditional mediation.',
} as const;

/** The field whose autofill offers passkeys. */
export function mountAutofill(app: App, autofill: Autofill): void {
  const box = byId('autofill-switch', HTMLInputElement);
  const field = byId('autofill', HTMLInputElement);
  const hint = byId('autofill-state', HTMLParagraphElement);
  let before = app.store.get().setup;
  let renewal: ReturnType<typeof setTimeout> | undefined;

  box.addEventListener('change', () => app.store.set({ setup: { ...app.store.get().setup, autofill: box.checked } }));
  field.addEventListener('focus', () => void autofill.arm());
  app.store.watch(['busy', 'mode'], ({ busy }) => {
    if (busy === undefined) {
      void autofill.arm();
    }
  });
  app.store.watch(['setup'], ({ setup }) => {
    if (setup.autofill !== before.autofill) {
      void (setup.autofill ? autofill.arm() : autofill.disarm());
    } else if (setup.autofill) {
      clearTimeout(renewal);
      renewal = setTimeout(() => void autofill.renew(), SETTLED);
    }
    before = setup;
  });
  let since = '';
  app.store.watch(['autofill'], (state) => {
    since = state.autofill === 'armed' ? ` Armed at ${formatClock(Date.now())}.` : '';
  });
  app.store.watch(['autofill', 'setup'], (state) => {
    box.checked = state.setup.autofill;
    field.disabled = !state.setup.autofill;
    hint.dataset['state'] = state.autofill;
    hint.textContent = state.setup.autofill ? `${STATES[state.autofill]}${since}` : '';
  });
}
