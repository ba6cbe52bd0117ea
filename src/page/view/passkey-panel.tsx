import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { MAX_TEXT_LENGTH } from '../../kernel/limits.js';
import { authenticate } from '../flow/ceremonies.js';
import { rename, restore, revoke } from '../flow/passkeys.js';
import { acceptedSignal, detailsSignal, sendFromPasskey, unknownSignal } from '../flow/signals.js';
import { describeFacts, isOwn } from '../passkey-facts.js';
import { isRevoked, type PasskeyRow } from '../state.js';
import { useApp, useMembers } from '../use-app.js';
import { Form } from './controls.js';
import { SignalButton } from './signal-button.js';
import { Pairs } from './text.js';

const REVOKED_HERE = 'Revoked only at the server. If the authenticator still offers it, “Log in” shows how the server refuses it.';

/** Names of the buttons that can receive the focus if another button disappears. */
export type Focusable = 'rename' | 'revoke' | 'restore';

interface PasskeyPanelProps {
  readonly passkey: PasskeyRow;
  /** Moves the focus to the named button after the list is drawn again. */
  readonly onFocus: (name: Focusable) => void;
}

/** Actions on a passkey, and its stored record. */
export function PasskeyPanel({ passkey, onFocus }: PasskeyPanelProps): JSX.Element {
  const app = useApp();
  const { user, server, revokedHere: revokedIds, waiting } = useMembers('user', 'server', 'revokedHere', 'waiting');
  const local = server?.local === true;
  const revokedHere = revokedIds.includes(passkey.id);
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
    <Action
      id={`${id}-${endpoint}`}
      about={passkey.label}
      disabled={waiting !== undefined}
      onClick={() => void authenticate(app, { passkey, endpoint })}
    >
      {text}
    </Action>
  );
  return (
    <div class="stack passkey-panel">
      <div class="line">
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
        #{passkey.id} · {describeFacts(passkey, own)}
      </p>
      <PasskeyDetails passkey={passkey} />
      {own && <PasskeySignals passkey={passkey} />}
    </div>
  );
}

interface ActionProps {
  readonly id: string;
  /** Name of the passkey for screen readers. */
  readonly about: string;
  readonly disabled?: boolean;
  /** True while the form that the button opens is visible. */
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

interface RenameFormProps {
  readonly label: string;
  readonly onSave: (label: string) => void;
  readonly onCancel: () => void;
}

/** Form for a new name of a passkey. */
function RenameForm({ label, onSave, onCancel }: RenameFormProps): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), []);
  return (
    <Form class="line" onSend={() => onSave(input.current?.value.trim() ?? '')} onEscape={onCancel}>
      <input ref={input} type="text" maxLength={MAX_TEXT_LENGTH} required defaultValue={label} dir="auto" aria-label="New name" />
      <button type="submit">Save</button>
      <button type="button" class="quiet" onClick={onCancel}>
        Cancel
      </button>
    </Form>
  );
}

interface RevokeFormProps {
  readonly passkey: PasskeyRow;
  /** True if this page can undo the revocation. */
  readonly undoable: boolean;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** Explains what revoking does, and asks for confirmation. */
function RevokeForm({ passkey, undoable, onConfirm, onCancel }: RevokeFormProps): JSX.Element {
  const id = `passkey-${passkey.id}-revoke`;
  const described = `${id}-text`;
  const cancel = useRef<HTMLButtonElement>(null);
  // Not the button that revokes: pressing Enter twice would confirm.
  useEffect(() => cancel.current?.focus(), []);
  return (
    <Form class="stack note fine warn" aria-label={`Revoke ${passkey.label}`} onSend={onConfirm} onEscape={onCancel}>
      <p id={described}>
        The server will refuse this passkey and end the sessions and tokens it opened. The authenticator is not told: it keeps the passkey
        and may still offer it.{' '}
        {undoable ? 'You can undo this.' : `This page cannot undo it; \`passkey restore ${passkey.id}\` on the server’s machine can.`}
      </p>
      <div class="line">
        <button id={`${id}-confirm`} type="submit" aria-describedby={described}>
          Revoke at the server
        </button>
        <button ref={cancel} type="button" class="quiet" aria-describedby={described} onClick={onCancel}>
          Cancel
        </button>
      </div>
    </Form>
  );
}

/** Shows the stored credential in full. */
function PasskeyDetails({ passkey }: { readonly passkey: PasskeyRow }): JSX.Element {
  const uv = passkey.uv_initialized;
  const pairs = [
    { name: 'Credential ID', value: passkey.credential_id },
    { name: 'Provider', value: passkey.provider },
    { name: 'AAGUID', value: passkey.aaguid },
    { name: 'User handle', value: passkey.user_handle },
    { name: 'Public key', value: passkey.public_key },
    { name: 'Algorithm', value: passkey.algorithm },
    { name: 'Attestation', value: passkey.attestation_format },
    { name: 'Registered at', value: passkey.origin },
    { name: 'User verified', value: uv === undefined ? undefined : uv ? 'at least once' : 'never' },
  ].map((pair) => ({ ...pair, mono: true }));
  const id = `passkey-${passkey.id}-details`;
  return (
    <details id={id} class="part">
      <summary id={`${id}-summary`}>
        Details<span class="unseen"> of {passkey.label}</span>
      </summary>
      <Pairs pairs={pairs} />
    </details>
  );
}

/**
 * Message shown instead of the buttons for signals. Signals need the RP ID and the user handle, and the server does not send these to a
 * bearer token from another machine.
 */
const UNTOLD =
  'The page does not know the rp.id and user handle of this passkey. The server reveals them only to a browser on its own machine.';

const ACCEPTED = 'The server knows it and still accepts it.';
const REVOKED = 'Restoring it on the server would not bring it back.';

/** Buttons for the signals about a stored passkey, each with its warning. */
function PasskeySignals({ passkey }: { readonly passkey: PasskeyRow }): JSX.Element {
  const app = useApp();
  const { user, passkeys } = useMembers('user', 'passkeys');
  const offers =
    passkey.rp_id === undefined
      ? []
      : [
          unknownSignal(passkey.rp_id, passkey.credential_id, isRevoked(passkey) ? REVOKED : ACCEPTED),
          acceptedSignal(passkey, passkeys),
          user === undefined ? undefined : detailsSignal(passkey, user),
        ].filter((offer) => offer !== undefined);
  const id = `passkey-${passkey.id}-signals`;
  return (
    <details id={id} class="part">
      <summary id={`${id}-summary`}>
        Signals to the authenticator<span class="unseen"> about {passkey.label}</span>
      </summary>
      {offers.length === 0 && <p class="hint">{UNTOLD}</p>}
      {offers.map((offer) => (
        <SignalButton
          key={offer.method}
          id={`passkey-${passkey.id}-${offer.method}`}
          offer={offer}
          onClick={() => void sendFromPasskey(app, passkey, offer)}
        />
      ))}
    </details>
  );
}
