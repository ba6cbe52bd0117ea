import type { JSX } from 'preact';
import { Drawer } from '../drawer.js';

/** The options of both ceremonies: controls beside the JSON that is asked for. */
export function OptionsDrawer(): JSX.Element {
  return (
    <Drawer id="options" title="Options">
      {null}
    </Drawer>
  );
}
