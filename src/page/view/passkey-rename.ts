import { MAX_TEXT_LENGTH } from '../../webauthn/limits.js';
import { byId, h } from '../dom.js';
import type { App } from '../flow/app.js';
import { rename } from '../flow/passkeys.js';
import type { PasskeyRow } from '../state.js';

/** Puts a form in place of the passkey's label; Escape gives the label back. `redraw` brings what has changed meanwhile. */
export function startRename(app: App, passkey: PasskeyRow, redraw: () => void): void {
  const label = byId(`passkey-${passkey.id}-label`, HTMLElement);
  const buttonId = `passkey-${passkey.id}-rename`;
  const input = h('input', {
    type: 'text',
    maxlength: MAX_TEXT_LENGTH,
    required: true,
    value: passkey.label,
    dir: 'auto',
    'aria-label': 'New name',
    class: 'rename',
  });
  const cancel = h('button', { type: 'button', class: 'quiet', onClick: () => stop() }, 'Cancel');
  const form = h('form', { class: 'rename-form' }, input, h('button', { type: 'submit' }, 'Save'), cancel);
  const stop = () => {
    form.replaceWith(label);
    redraw();
    document.getElementById(buttonId)?.focus();
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const text = input.value.trim();
    stop();
    if (text !== '' && text !== passkey.label) {
      void rename(app, passkey, text);
    }
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      stop();
    }
  });
  label.replaceWith(form);
  byId(buttonId, HTMLButtonElement).disabled = true;
  input.select();
  input.focus();
}
