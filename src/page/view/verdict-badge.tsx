import type { JSX } from 'preact';
import type { Verdict } from '../verdicts.js';
import { VERDICTS } from '../verdicts.js';

export function VerdictBadge({ verdict }: { readonly verdict: Verdict }): JSX.Element {
  const { word, sign, tone } = VERDICTS[verdict];
  return (
    <span class={`badge ${tone}`}>
      <span aria-hidden="true">{sign}</span> {word}
    </span>
  );
}
