import { MAX_TEXT_LENGTH } from '../../webauthn/limits.js';
import { byId, focus, h } from '../dom.js';
import type { App } from '../flow/app.js';
import { rename, revoke } from '../flow/passkeys.js';
import type { AppState, PasskeyRow } from '../state.js';

interface OpenForm {
  readonly form: HTMLFormElement;
  /** Button that opened the form: disabled while the form is open, focused when it has closed. */
  readonly buttonId: string;
  /** Takes the form out of the document. */
  readonly remove: () => void;
  /** Draws what changed while the form was open. */
  readonly redraw: () => void;
  readonly onSubmit: () => void;
}

/** Closes the form on Cancel, Escape and submit. Returns the Cancel button. */
function prepare({ form, buttonId, remove, redraw, onSubmit }: OpenForm): HTMLButtonElement {
  const close = () => {
    remove();
    redraw();
    focus(buttonId);
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    close();
    onSubmit();
  });
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      close();
    }
  });
  byId(buttonId, HTMLButtonElement).disabled = true;
  return h('button', { type: 'button', class: 'quiet', onClick: close }, 'Cancel');
}

/** Puts a form where the passkey's label is. */
export function startRename(app: App, passkey: PasskeyRow, redraw: () => void): void {
  const label = byId(`passkey-${passkey.id}-label`, HTMLElement);
  const input = h('input', {
    type: 'text',
    maxlength: MAX_TEXT_LENGTH,
    required: true,
    value: passkey.label,
    dir: 'auto',
    'aria-label': 'New name',
    class: 'rename',
  });
  const form = h('form', { class: 'rename-form' }, input, h('button', { type: 'submit' }, 'Save'));
  const onSubmit = () => {
    const text = input.value.trim();
    if (text !== '' && text !== passkey.label) {
      void rename(app, passkey, text);
    }
  };
  form.append(prepare({ form, buttonId: `passkey-${passkey.id}-rename`, remove: () => form.replaceWith(label), redraw, onSubmit }));
  label.replaceWith(form);
  input.select();
  input.focus();
}

/** Says in the passkey's item what revoking does, and asks for confirmation. */
export function askToRevoke(app: App, passkey: PasskeyRow, redraw: () => void): void {
  const id = `passkey-${passkey.id}-revoke`;
  const described = `${id}-text`;
  const form = h(
    'form',
    { class: 'revoke-form', 'aria-label': `Revoke ${passkey.label}` },
    h('p', { id: described }, consequences(app.store.get(), passkey)),
  );
  const cancel = prepare({ form, buttonId: id, remove: () => form.remove(), redraw, onSubmit: () => void revokeAndFocus(app, passkey) });
  cancel.setAttribute('aria-describedby', described);
  const confirm = h('button', { id: `${id}-confirm`, type: 'submit', 'aria-describedby': described }, 'Revoke at the server');
  form.append(h('div', { class: 'actions' }, confirm, cancel));
  byId(id, HTMLButtonElement).closest('.actions')?.after(form);
  // Not the button that revokes: pressing Enter twice would confirm.
  cancel.focus();
}

function consequences({ server }: AppState, { id }: PasskeyRow): string {
  return [
    'The server will refuse this passkey and end the sessions and tokens it opened.',
    'The authenticator is not told: it keeps the passkey and may still offer it.',
    server?.local === true ? 'You can undo this.' : `This page cannot undo it; \`passkey restore ${id}\` on the server’s machine can.`,
  ].join(' ');
}

/** The Revoke button goes away; the focus moves to Undo, or else to the heading. */
async function revokeAndFocus(app: App, passkey: PasskeyRow): Promise<void> {
  if (await revoke(app, passkey)) {
    (document.getElementById(`passkey-${passkey.id}-restore`) ?? document.getElementById('passkeys-heading'))?.focus();
  }
}
