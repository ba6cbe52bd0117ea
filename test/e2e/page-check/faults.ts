import type { PageCauseId } from '../../../src/testing/page/causes.js';
import type { Flows } from '../../../src/testing/page/flow.js';

/** A click at the button with a name. */
export const click = (name: string) => ({ click: { role: 'button', name } });

/** The flows of the shop whose page is at a path, which may choose a fault. */
export function flowsOf(path: string): Flows {
  return {
    register: [{ goto: path }, click('Add a passkey')],
    login: [{ goto: path }, click('Sign in with a passkey')],
    password: [{ goto: path }, click('Sign in with a password')],
    remove: [click('Remove the passkey')],
    rename: [{ fill: { role: 'textbox', name: 'Name' }, value: 'Ada {n}' }, click('Save the name')],
  };
}

/** Each fault of the shop: the cause of its first finding, and the cases that are run to find it. */
export const FAULTS: Readonly<Record<string, readonly [PageCauseId, ...(readonly string[])]>> = {
  // The first is in `npm test`: it has one case, and none that waits.
  exclude: ['exclude-lost', 'register.exclude-credentials'],
  'cancel-stuck': ['control-stuck', 'register.cancelled', 'login.cancelled'],
  'security-stuck': ['control-stuck', 'login.security-error'],
  'registered-stuck': ['control-stuck', 'register.already-registered'],
  'abort-stuck': ['control-stuck', 'login.aborted'],
  'refused-stuck': ['control-stuck', 'register.options-400', 'login.verification-400'],
  'session-stuck': ['control-stuck', 'register.options-401'],
  'server-stuck': ['control-stuck', 'login.verification-500'],
  'json-stuck': ['control-stuck', 'register.verification-not-json', 'login.options-html'],
  'offline-stuck': ['control-stuck', 'login.options-offline'],
  'busy-stuck': ['control-stuck', 'login.cancelled'],
  dead: ['second-attempt-dead', 'login.cancelled'],
  retry: ['retry-loop', 'login.cancelled'],
  'send-anyway': ['sent-without-response', 'login.cancelled'],
  'error-body': ['called-with-error', 'register.options-400'],
  'rate-limit': ['rate-limit-ignored', 'login.options-429'],
  'challenge-reused': ['challenge-reused', 'login.verification-500'],
  'challenge-kept': ['challenge-kept', 'login.cancelled'],
  'not-aborted': ['conditional-not-aborted', 'login.honest'],
  twice: ['conditional-twice', 'login.honest'],
  unchecked: ['conditional-unchecked', 'login.without-autofill'],
  autocomplete: ['autocomplete-missing', 'login.honest'],
  'not-rearmed': ['autofill-not-rearmed', 'login.cancelled'],
  'transports-in': ['transports-dropped', 'register.exclude-credentials'],
  'transports-out': ['transports-dropped', 'register.honest'],
  buffers: ['buffers-empty', 'register.honest'],
  url: ['response-in-url', 'login.honest'],
  cookie: ['cookie-missing', 'login.honest'],
  enum: ['future-values', 'register.future-values'],
  optional: ['optional-members', 'register.optional-members'],
  webauthn: ['without-webauthn', 'login.without-webauthn'],
  capabilities: ['without-capabilities', 'login.without-capabilities'],
  signals: ['without-signals', 'login.without-signals'],
  'double-success': ['double-success', 'login.double-click'],
  'double-clash': ['double-clash', 'login.double-click'],
  'signal-transient': ['signal-unknown-after-failure', 'login.verification-500'],
  'signal-list': ['signal-accepted-incomplete', 'register.honest'],
  modal: ['modal-at-load', 'login.honest'],
  gesture: ['gesture-spent', 'login.honest'],
  timeout: ['timeout-short', 'login.honest'],
  'abort-timeout': ['timeout-short', 'login.honest'],
  unhandled: ['rejection-unhandled', 'login.cancelled'],
  'signal-removal': ['signal-removal-missing', 'remove.honest'],
  'signal-rename': ['signal-rename-missing', 'rename.honest'],
  'signal-unknown': ['signal-unknown-missing', 'login.removed-passkey'],
};
