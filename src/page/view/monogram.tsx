import type { JSX } from 'preact';

/** First letters of a name on a coloured square. The same name always has the same square. */
export function Monogram({ name }: { readonly name: string }): JSX.Element {
  return (
    <span class="monogram ground" style={groundStyle(pickGround(name))} aria-hidden="true">
      {pickLetters(name)}
    </span>
  );
}

/**
 * Builds the style that selects one of the six background colours of bytes and monograms, for elements of the class `ground`. 0 selects
 * none.
 */
export function groundStyle(ground: number): { readonly '--ground': string } {
  return { '--ground': `var(--seg-${ground})` };
}

/** Number of background colours. */
const GROUNDS = 6;

/** Picks the letters for a name: 1P for `1Password`, AP for `Apple Passwords`, A for `ada`. */
function pickLetters(name: string): string {
  const [first = '?', second] = name.match(/\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{Lu}+|\p{N}/gu) ?? [];
  const letters = second === undefined ? [...first].slice(0, 1) : [[...first][0], [...second][0]];
  return letters.join('').toLocaleUpperCase();
}

/** Picks a background colour from 1 to 6, always the same for the same name. */
function pickGround(name: string): number {
  return ([...name].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 997, 7) % GROUNDS) + 1;
}
