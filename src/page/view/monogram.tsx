import type { JSX } from 'preact';

/** The first letters of a name on a coloured square: the same for the same name, everywhere. */
export function Monogram({ name }: { readonly name: string }): JSX.Element {
  return (
    <span class="monogram ground" style={groundStyle(pickGround(name))} aria-hidden="true">
      {pickLetters(name)}
    </span>
  );
}

/** One of the six background colours of bytes and monograms, as class `ground`; 0 for none. */
export function groundStyle(ground: number): { readonly '--ground': string } {
  return { '--ground': `var(--seg-${ground})` };
}

/** The six grounds. */
const GROUNDS = 6;

/** `1Password` gives 1P, `Apple Passwords` AP, `ada` A. */
function pickLetters(name: string): string {
  const [first = '?', second] = name.match(/\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{Lu}+|\p{N}/gu) ?? [];
  const letters = second === undefined ? [...first].slice(0, 1) : [[...first][0], [...second][0]];
  return letters.join('').toLocaleUpperCase();
}

/** One of the background colours, 1 to 6: the same for the same name. */
function pickGround(name: string): number {
  return ([...name].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 997, 7) % GROUNDS) + 1;
}
