import type { JSX } from 'preact';
import type { Item } from '../../items.js';

/** The steps of the standard's procedure (WebAuthn L3 §7.1, §7.2), and the verdict of the verification library beside them. */
export function Checklist(_: { readonly item: Item }): JSX.Element | null {
  return null;
}
