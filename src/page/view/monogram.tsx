import type { JSX } from 'preact';

/** The six grounds of `.monogram`, as for segments of bytes. */
const GROUNDS = 6;

/** The first letters of a name on a coloured square: the same for the same name, everywhere. */
export function Monogram({ name }: { readonly name: string }): JSX.Element {
  return (
    <span class={`monogram ground-${groundOf(name)}`} aria-hidden="true">
      {lettersOf(name)}
    </span>
  );
}

/** `1Password` gives 1P, `Apple Passwords` AP, `ada` A. */
export function lettersOf(name: string): string {
  const [first = '?', second] = name.match(/\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{Lu}+|\p{N}/gu) ?? [];
  const letters = second === undefined ? [...first].slice(0, 1) : [[...first][0], [...second][0]];
  return letters.join('').toLocaleUpperCase();
}

function groundOf(name: string): number {
  return ([...name].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 997, 7) % GROUNDS) + 1;
}
