import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { shownText } from '../shown-text.js';

/** Characters that stand at once, of a name. */
const MOST = 160;

/** A text that others have chosen: it keeps its direction to itself, shows its control characters, and, when long, the rest on demand. */
export function Text({ text, most = MOST }: { readonly text: string; readonly most?: number }): JSX.Element {
  const [whole, setWhole] = useState(false);
  const shown = shownText(text);
  const long = shown.length > most;
  return (
    <>
      <bdi>
        <Marked text={long && !whole ? `${shown.slice(0, most)}…` : shown} />
      </bdi>
      {long && (
        <button type="button" class="quiet small rest" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? 'less' : 'all of it'}
        </button>
      )}
    </>
  );
}

/** A remark; what stands between backquotes in it is set as code. */
export function Hint({ text, id }: { readonly text: string; readonly id?: string }): JSX.Element {
  return (
    <p id={id} class="hint">
      <Marked text={text} />
    </p>
  );
}

/** A text in which what stands between backquotes is set as code. */
function Marked({ text }: { readonly text: string }): JSX.Element {
  return <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}
