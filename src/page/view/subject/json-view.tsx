import type { JSX } from 'preact';
import { shownText } from '../../shown-text.js';

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** JSON with syntax colours. */
export function JsonView({ value }: { readonly value: unknown }): JSX.Element {
  if (value === undefined) return <p class="hint">No body.</p>;
  // As JSON has them.
  const text = shownText(typeof value === 'string' ? value : JSON.stringify(value, null, 2), '\\u', '');
  const parts: (JSX.Element | string)[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, string, colon] = match;
    const kind = string === undefined ? 'json-literal' : colon === undefined ? 'json-text' : 'json-name';
    parts.push(text.slice(end, match.index), <span class={kind}>{string ?? whole}</span>, colon ?? '');
    end = match.index + whole.length;
  }
  parts.push(text.slice(end));
  return (
    <pre class="json" tabIndex={0} role="group" aria-label="JSON">
      <code>{parts}</code>
    </pre>
  );
}
