import type { JSX } from 'preact';
import type { Item } from '../../items.js';

/** What the response is made of: bytes in coloured segments beside the decoded tree. */
export function Bytes(_: { readonly item: Item }): JSX.Element | null {
  return null;
}
