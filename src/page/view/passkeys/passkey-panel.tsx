import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { authenticate } from '../../flow/authenticate.js';
import { rename, restore, revoke } from '../../flow/passkeys.js';
import { factsOf, isOwn } from '../../passkey-facts.js';
import { isRevoked, type PasskeyRow, type User } from '../../state.js';
import { useApp } from '../../use-app.js';
import { PasskeyDetails } from './passkey-details.js';
import { PasskeySignals } from './passkey-signals.js';
import { RenameForm } from './rename-form.js';
import { RevokeForm } from './revoke-form.js';

const REVOKED_HERE = 'Revoked only at the server. If the authenticator still offers it, “Log in” shows how the server refuses it.';

/** Names of the buttons that the focus may go to when another has gone away. */
export type Focusable = 'rename' | 'revoke' | 'restore';

export interface PasskeyPanelProps {
  readonly passkey: PasskeyRow;
  readonly user: User | undefined;
  /** The server lets this browser use the development endpoints. */
  readonly local: boolean;
  readonly revokedHere: boolean;
  /** A ceremony is under way. */
  readonly waiting: boolean;
  /** Moves the focus, once the list is drawn again. */
  readonly onFocus: (name: Focusable) => void;
}

/** What can be done with a passkey, and all that the server knows of it. */
export function PasskeyPanel({ passkey, user, local, revokedHere, waiting, onFocus }: PasskeyPanelProps): JSX.Element {
  const app = useApp();
  const [form, setForm] = useState<'rename' | 'revoke'>();
  const revoked = isRevoked(passkey);
  const own = isOwn({ user }, passkey);
  // Revoking may have ended the session that did it; offer Undo all the same.
  const restorable = revoked && local && (own || (revokedHere && user === undefined));
  const id = `passkey-${passkey.id}`;
  const close = (name: Focusable) => {
    setForm(undefined);
    onFocus(name);
  };
  const renameTo = (label: string) => {
    close('rename');
    if (label !== '' && label !== passkey.label) void rename(app, passkey, label);
  };
  const confirmRevoke = async () => {
    setForm(undefined);
    // The button that was pressed goes away; the focus moves to the one that takes it back.
    onFocus((await revoke(app, passkey)) ? 'restore' : 'revoke');
  };
  const undo = async () => {
    if (await restore(app, passkey)) onFocus('revoke');
  };
  const ceremony = (endpoint: 'login' | 'verify', text: string) => (
    <Action id={`${id}-${endpoint}`} about={passkey.label} disabled={waiting} onClick={() => void authenticate(app, { passkey, endpoint })}>
      {text}
    </Action>
  );
  return (
    <div class="passkey-panel">
      <div class="actions">
        {ceremony('login', 'Log in')}
        {ceremony('verify', 'Verify')}
        {own && !revoked && (
          <>
            <Action id={`${id}-rename`} about={passkey.label} pressed={form === 'rename'} onClick={() => setForm('rename')}>
              Rename
            </Action>
            <Action id={`${id}-revoke`} about={passkey.label} pressed={form === 'revoke'} onClick={() => setForm('revoke')}>
              Revoke…
            </Action>
          </>
        )}
        {restorable && (
          <Action id={`${id}-restore`} about={passkey.label} onClick={() => void undo()}>
            {revokedHere ? 'Undo' : 'Restore'}
          </Action>
        )}
      </div>
      {form === 'rename' && <RenameForm label={passkey.label} onSave={renameTo} onCancel={() => close('rename')} />}
      {form === 'revoke' && (
        <RevokeForm passkey={passkey} undoable={local} onConfirm={() => void confirmRevoke()} onCancel={() => close('revoke')} />
      )}
      {revokedHere && revoked && <p class="hint">{REVOKED_HERE}</p>}
      <p class="hint">
        #{passkey.id} · {factsOf(passkey, own)}
      </p>
      <PasskeyDetails passkey={passkey} />
      {own && <PasskeySignals passkey={passkey} />}
    </div>
  );
}

interface ActionProps {
  readonly id: string;
  /** Name of the passkey, for screen readers. */
  readonly about: string;
  readonly disabled?: boolean;
  /** Its form is open. */
  readonly pressed?: boolean;
  readonly onClick: () => void;
  readonly children: string;
}

function Action({ id, about, disabled, pressed, onClick, children }: ActionProps): JSX.Element {
  return (
    <button
      id={id}
      type="button"
      aria-label={`${children} “${about}”`}
      aria-disabled={disabled}
      aria-expanded={pressed}
      onClick={() => {
        if (disabled !== true) onClick();
      }}
    >
      {children}
    </button>
  );
}
