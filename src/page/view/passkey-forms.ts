import { byId, h } from '../dom.js';
import type { App } from '../flow/app.js';
import { rename, revoke } from '../flow/passkeys.js';
import type { AppState, PasskeyRow } from '../state.js';

/** Puts a form in place of the passkey's label; Escape gives the label back. `redraw` brings what has changed meanwhile. */
export function startRename(app: App, passkey: PasskeyRow, redraw: () => void): void {
  const label = byId(`passkey-${passkey.id}-label`, HTMLElement);
  const buttonId = `passkey-${passkey.id}-rename`;
  const input = h('input', {
    type: 'text',
    maxlength: 255,
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

/** Says in the passkey's item what revoking does, and asks. `redraw` brings what has changed meanwhile. */
export function askToRevoke(app: App, passkey: PasskeyRow, redraw: () => void): void {
  const id = `passkey-${passkey.id}-revoke`;
  const button = byId(id, HTMLButtonElement);
  const confirm = h('button', { id: `${id}-confirm`, type: 'submit', 'aria-describedby': `${id}-text` }, 'Revoke at the server');
  const cancel = h('button', { type: 'button', class: 'quiet', 'aria-describedby': `${id}-text`, onClick: () => stop() }, 'Cancel');
  const form = h(
    'form',
    { class: 'revoke-form', 'aria-label': `Revoke ${passkey.label}` },
    h('p', { id: `${id}-text` }, consequences(app.store.get(), passkey)),
    h('div', { class: 'actions' }, confirm, cancel),
  );
  const stop = () => {
    form.remove();
    redraw();
    document.getElementById(id)?.focus();
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    stop();
    void revokeAndFocus(app, passkey);
  });
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      stop();
    }
  });
  button.closest('.actions')?.after(form);
  button.disabled = true;
  // Not the one that revokes: Enter pressed twice would do it.
  cancel.focus();
}

function consequences({ server }: AppState, { id }: PasskeyRow): string {
  return [
    'The server will refuse this passkey and end the sessions and tokens it opened.',
    'The authenticator is not told: it keeps the passkey and may go on offering it.',
    server?.local === true ? 'You can undo this.' : `This page cannot undo it; \`passkey restore ${id}\` on the server’s machine can.`,
  ].join(' ');
}

/** The button goes; the focus moves to Undo in its place, else to the heading above. */
async function revokeAndFocus(app: App, passkey: PasskeyRow): Promise<void> {
  if (await revoke(app, passkey)) {
    (document.getElementById(`passkey-${passkey.id}-restore`) ?? document.getElementById('passkeys-heading'))?.focus();
  }
}
