import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { MAX_TEXT_LENGTH } from '../../../kernel/limits.js';

interface RenameFormProps {
  readonly label: string;
  readonly onSave: (label: string) => void;
  readonly onCancel: () => void;
}

/** A new name for a passkey. Escape closes it. */
export function RenameForm({ label, onSave, onCancel }: RenameFormProps): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), []);
  return (
    <form
      class="rename-form field"
      onSubmit={(event) => {
        event.preventDefault();
        onSave(input.current?.value.trim() ?? '');
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onCancel();
      }}
    >
      <input ref={input} type="text" maxLength={MAX_TEXT_LENGTH} required defaultValue={label} dir="auto" aria-label="New name" />
      <button type="submit">Save</button>
      <button type="button" class="quiet" onClick={onCancel}>
        Cancel
      </button>
    </form>
  );
}
