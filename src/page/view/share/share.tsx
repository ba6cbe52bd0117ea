import type { JSX } from 'preact';
import type { Item } from '../../items.js';

/** Ways for a ceremony to leave: fixture, JSON, curl, one file that opens here. */
export function Share(_: { readonly item: Item }): JSX.Element | null {
  return null;
}
