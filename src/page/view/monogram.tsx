import type { JSX } from 'preact';
import { groundOf, lettersOf } from '../letters.js';

/** The first letters of a name on a coloured square: the same for the same name, everywhere. */
export function Monogram({ name }: { readonly name: string }): JSX.Element {
  return (
    <span class={`monogram ground-${groundOf(name)}`} aria-hidden="true">
      {lettersOf(name)}
    </span>
  );
}
