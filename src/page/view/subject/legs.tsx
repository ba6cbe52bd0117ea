import type { JSX } from 'preact';
import type { Item } from '../../items.js';

/** The requests and the call of the browser, as this tab made them. */
export function Legs(_: { readonly item: Item }): JSX.Element | null {
  return null;
}
