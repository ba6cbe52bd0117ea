import type { JSX } from 'preact';
import type { Autofill } from '../flow/autofill.js';
import { useAppState } from '../use-app.js';
import { BreakDrawer } from './break/break-drawer.js';
import { BrowserDrawer } from './browser-drawer.js';
import { ListPane } from './list/list-pane.js';
import { Notices } from './notices.js';
import { ActionBar } from './options/action-bar.js';
import { OptionsDrawer } from './options/options-drawer.js';
import { useResultFocus } from './result-focus.js';
import { PasteDrawer } from './share/paste-drawer.js';
import { useShortcuts } from './shortcuts.js';
import { StatusLine } from './status-line.js';
import { SubjectPane } from './subject/subject-pane.js';
import { useTabFace } from './tab-face.js';
import { Top } from './top.js';

const DRAWERS = { options: OptionsDrawer, break: BreakDrawer, paste: PasteDrawer, browser: BrowserDrawer };

/** The whole page: what can be done, what happened, and one ceremony in full. */
export function Page({ autofill }: { readonly autofill: Autofill }): JSX.Element {
  const drawer = useAppState((state) => state.drawer);
  const Open = drawer === undefined ? undefined : DRAWERS[drawer];
  useShortcuts();
  useResultFocus();
  useTabFace();
  return (
    <>
      <a class="skip" href="#subject">
        Skip to the ceremony
      </a>
      <Top />
      <Notices />
      <ActionBar autofill={autofill} />
      <div class="panes" data-drawer={drawer}>
        <ListPane />
        <SubjectPane />
        {Open && <Open />}
      </div>
      <StatusLine />
    </>
  );
}
