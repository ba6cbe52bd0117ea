import type { ComponentChildren, JSX } from 'preact';
import { Marked } from '../text.js';

interface FrameProps {
  readonly id: string;
  readonly label: string;
  readonly changed: boolean;
  readonly help?: string | undefined;
  /** True if the control is a group of check boxes, so that the label belongs to the whole group. */
  readonly group?: boolean | undefined;
  readonly onReset?: () => void;
  readonly children: ComponentChildren;
}

/** Frame around the control of one setting: label, reset button and help. */
export function Frame({ id, label: name, changed, help, group = false, onReset, children }: FrameProps): JSX.Element {
  const label = (
    <>
      {changed && <span class="dot accent" aria-hidden="true" />}
      <code>{name}</code>
      {changed && <span class="unseen"> (changed)</span>}
    </>
  );
  return (
    <div class={group ? 'option wide' : 'option'} role={group ? 'group' : undefined} aria-labelledby={group ? `${id}-label` : undefined}>
      <div class="option-head">
        {group ? <span id={`${id}-label`}>{label}</span> : <label for={id}>{label}</label>}
        {changed && onReset && (
          <button type="button" class="quiet icon" aria-label={`Reset ${name}`} title="Back to the server's own" onClick={onReset}>
            ↺
          </button>
        )}
      </div>
      {children}
      {help !== undefined && (
        <small id={`${id}-help`} class="hint">
          <Marked text={help} />
        </small>
      )}
    </div>
  );
}
