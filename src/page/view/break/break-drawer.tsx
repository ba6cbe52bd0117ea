import type { JSX } from 'preact';
import { Drawer } from '../drawer.js';

/** The catalogue's mutations: one click, one refusal. */
export function BreakDrawer(): JSX.Element {
  return (
    <Drawer id="break" title="Break it">
      {null}
    </Drawer>
  );
}
