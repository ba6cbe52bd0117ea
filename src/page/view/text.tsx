import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { shownText } from '../shown-text.js';

/** Number of characters of a name that are shown at first. */
const MOST = 160;

/** Shows a text from others, with its own direction and visible control characters. Cuts a long text and shows the rest on demand. */
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

/** Remark with the text between backquotes set as code. */
export function Hint({ text, id }: { readonly text: string; readonly id?: string }): JSX.Element {
  return (
    <p id={id} class="hint">
      <Marked text={text} />
    </p>
  );
}

interface Pair {
  readonly name: string;
  /** Value of the pair. Without a value, the name is left out too. */
  readonly value: string | null | undefined;
  /** True if the value is data, not words. */
  readonly mono?: boolean;
}

/** List of names with their values. */
export function Pairs({ pairs, class: more = '' }: { readonly pairs: readonly Pair[]; readonly class?: string }): JSX.Element {
  const known = pairs.flatMap(({ value, ...pair }) => (typeof value === 'string' ? { ...pair, value } : []));
  return (
    <dl class={`pairs ${more}`}>
      {known.map(({ name, value, mono = false }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class={mono ? 'mono' : ''}>
            <Text text={value} most={600} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Text with the parts between backquotes set as code. */
export function Marked({ text }: { readonly text: string }): JSX.Element {
  return <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}
