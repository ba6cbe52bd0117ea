import type { JSX } from 'preact';
import { Drawer } from '../drawer.js';

/** One box that takes whatever `passkey explain` takes. */
export function PasteDrawer(): JSX.Element {
  return (
    <Drawer id="paste" title="Paste or drop">
      {null}
    </Drawer>
  );
}
