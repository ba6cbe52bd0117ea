import { BreakDrawer } from './break-drawer.js';
import { BrowserDrawer } from './browser-drawer.js';
import { OptionsDrawer } from './options/options-drawer.js';
import { Ceremony } from './subject/ceremony.js';
import { Example } from './subject/example.js';

/** Views whose code is in separate files, loaded after the page has been drawn. */
export const LATER = {
  ceremony: Ceremony,
  example: Example,
  options: OptionsDrawer,
  break: BreakDrawer,
  browser: BrowserDrawer,
};
