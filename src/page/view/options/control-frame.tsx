import type { ComponentChildren, JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { OptionField } from '../../../server/schemas/option-form.js';
import { isChanged, resetControl } from '../../setup/values.js';
import type { EditedOptions } from './use-options.js';

export interface ControlProps<F extends OptionField = OptionField> {
  readonly field: F;
  readonly options: EditedOptions;
}

/** Id of the control of a member, and of its label and help with a suffix. */
export function controlId({ dictionary }: EditedOptions, { path }: OptionField): string {
  return `option-${dictionary}-${path.join('.')}`;
}

interface FrameProps extends ControlProps {
  /** For several boxes: the label names their group. */
  readonly group?: boolean;
  readonly children: ComponentChildren;
}

/** What stands around a control. */
export function ControlFrame({ field, options, group = false, children }: FrameProps): JSX.Element {
  const id = controlId(options, field);
  const changed = isChanged(field, options);
  const label = (
    <>
      {changed && <span class="changed-dot" aria-hidden="true" />}
      <code>{field.label}</code>
      {changed && <span class="unseen"> (changed)</span>}
    </>
  );
  return (
    <div class={group ? 'option wide' : 'option'} role={group ? 'group' : undefined} aria-labelledby={group ? `${id}-label` : undefined}>
      <div class="option-head">
        {group ? <span id={`${id}-label`}>{label}</span> : <label for={id}>{label}</label>}
        {changed && (
          <button
            type="button"
            class="quiet icon reset"
            aria-label={`Reset ${field.label}`}
            title="Back to the server's own"
            onClick={() => {
              options.write(resetControl(field, options));
              // This button goes.
              document.getElementById(group ? `${id}-0` : id)?.focus();
            }}
          >
            ↺
          </button>
        )}
      </div>
      {children}
      {field.help !== undefined && (
        <small id={`${id}-help`} class="hint">
          {field.help}
        </small>
      )}
    </div>
  );
}

interface FoldProps {
  readonly count: number;
  /** Whether something in it was changed. */
  readonly changed: boolean;
  readonly children: ComponentChildren;
}

/** What is rarely needed. It opens for a change, and stays open when that is undone: closing would take the focus away. */
export function Fold({ count, changed, children }: FoldProps): JSX.Element {
  const opened = useRef(changed);
  opened.current ||= changed;
  return (
    <details class="fold" open={opened.current}>
      <summary>{count} more</summary>
      {children}
    </details>
  );
}
