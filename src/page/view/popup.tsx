import type { ButtonHTMLAttributes, ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface PopupProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> {
  /** HTML id of the panel. */
  readonly panel: string;
  readonly class: string;
  /** Label of the button that opens the panel. */
  readonly text: ComponentChildren;
  /** Draws the contents of the panel. Calling `close` closes the panel and returns the focus to the button. */
  readonly children: (close: () => void) => ComponentChildren;
}

/**
 * Button that opens a panel below it. Escape closes the panel and returns the focus to the button. Pressing or focusing anything outside
 * closes it too.
 */
export function Popup({ panel, class: kind, text, children, ...rest }: PopupProps): JSX.Element {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  useEffect(() => {
    if (!open) return;
    const elsewhere = ({ target }: Event) => {
      if (target instanceof Node && root.current?.contains(target) === false) setOpen(false);
    };
    document.addEventListener('pointerdown', elsewhere);
    document.addEventListener('focusin', elsewhere);
    // In a list that scrolls, the end of it may be out of sight.
    document.getElementById(panel)?.scrollIntoView({ block: 'nearest' });
    return () => {
      document.removeEventListener('pointerdown', elsewhere);
      document.removeEventListener('focusin', elsewhere);
    };
  }, [open, panel]);
  return (
    <div
      ref={root}
      class={`popup ${kind}`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open) return;
        // Not for what is below it.
        event.stopPropagation();
        close();
      }}
    >
      <button
        {...rest}
        ref={button}
        type="button"
        class="popup-button"
        aria-expanded={open}
        aria-controls={panel}
        onClick={() => setOpen(!open)}
      >
        {text}
      </button>
      {open && (
        <div id={panel} class="card floating popup-panel">
          {children(close)}
        </div>
      )}
    </div>
  );
}
