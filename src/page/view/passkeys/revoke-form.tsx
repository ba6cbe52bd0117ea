import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { PasskeyRow } from '../../state.js';

interface RevokeFormProps {
  readonly passkey: PasskeyRow;
  /** Whether this page can take it back. */
  readonly undoable: boolean;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** Says what revoking does, and asks for confirmation. Escape closes it. */
export function RevokeForm({ passkey, undoable, onConfirm, onCancel }: RevokeFormProps): JSX.Element {
  const id = `passkey-${passkey.id}-revoke`;
  const described = `${id}-text`;
  const cancel = useRef<HTMLButtonElement>(null);
  // Not the button that revokes: pressing Enter twice would confirm.
  useEffect(() => cancel.current?.focus(), []);
  return (
    <form
      class="revoke-form"
      aria-label={`Revoke ${passkey.label}`}
      onSubmit={(event) => {
        event.preventDefault();
        onConfirm();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onCancel();
      }}
    >
      <p id={described}>
        The server will refuse this passkey and end the sessions and tokens it opened. The authenticator is not told: it keeps the passkey
        and may still offer it.{' '}
        {undoable ? 'You can undo this.' : `This page cannot undo it; \`passkey restore ${passkey.id}\` on the server’s machine can.`}
      </p>
      <div class="actions">
        <button id={`${id}-confirm`} type="submit" aria-describedby={described}>
          Revoke at the server
        </button>
        <button ref={cancel} type="button" class="quiet" aria-describedby={described} onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
