import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { shownText } from '../shown-text.js';

/** Number of characters of a name that are shown at first. */
const MOST = 160;

/**
 * Shows a string from outside, with its own text direction and with control characters made visible. Cuts a long string and shows the rest
 * on demand.
 */
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

/** Remark in which the parts between backquotes are set as code. */
export function Hint({ text, id }: { readonly text: string; readonly id?: string }): JSX.Element {
  return (
    <p id={id} class="hint">
      <Marked text={text} />
    </p>
  );
}

interface Pair {
  readonly name: string;
  /** Value of the pair. If there is no value, the name is not shown either. */
  readonly value: string | null | undefined;
  /** True if the value is data rather than words, and therefore set in a monospaced font. */
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

/** Text in which the parts between backquotes are set as code. */
export function Marked({ text }: { readonly text: string }): JSX.Element {
  return <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}
