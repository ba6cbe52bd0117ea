import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface PopupProps {
  /** Id of the button. */
  readonly id: string;
  /** Id of the panel. */
  readonly panel: string;
  readonly class: string;
  /** Text of the button. */
  readonly text: ComponentChildren;
  readonly open: boolean;
  readonly onToggle: (open: boolean) => void;
  readonly children: ComponentChildren;
}

/**
 * A button and what it opens below it. Escape closes it and returns the focus to the button; a press elsewhere, or the focus elsewhere, closes it
 * too.
 */
export function Popup({ id, panel, class: kind, text, open, onToggle, children }: PopupProps): JSX.Element {
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const opened = useRef<HTMLDivElement>(null);
  const toggle = useRef(onToggle);
  toggle.current = onToggle;
  useEffect(() => {
    if (!open) return;
    const elsewhere = ({ target }: Event) => {
      if (target instanceof Node && root.current?.contains(target) === false) toggle.current(false);
    };
    document.addEventListener('pointerdown', elsewhere);
    document.addEventListener('focusin', elsewhere);
    // In a list that scrolls, the end of it may be out of sight.
    opened.current?.scrollIntoView({ block: 'nearest' });
    return () => {
      document.removeEventListener('pointerdown', elsewhere);
      document.removeEventListener('focusin', elsewhere);
    };
  }, [open]);
  return (
    <div
      ref={root}
      class={`popup ${kind}`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open) return;
        // Not for what is below it.
        event.stopPropagation();
        onToggle(false);
        button.current?.focus();
      }}
    >
      <button
        id={id}
        ref={button}
        type="button"
        class="popup-button"
        aria-expanded={open}
        aria-controls={panel}
        onClick={() => onToggle(!open)}
      >
        {text}
      </button>
      {open && (
        <div id={panel} ref={opened} class="card floating popup-panel">
          {children}
        </div>
      )}
    </div>
  );
}
