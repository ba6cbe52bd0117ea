import type { JSX } from 'preact';
import type { Autofill } from '../flow/autofill.js';
import { useAppState } from '../use-app.js';
import { useKeepFocus } from './keep-focus.js';
import { late } from './late.js';
import { ListPane } from './list/list-pane.js';
import { Notices } from './notices.js';
import { ActionBar } from './options/action-bar.js';
import { useResultFocus } from './result-focus.js';
import { useShortcuts } from './shortcuts.js';
import { StatusLine } from './status-line.js';
import { SubjectPane } from './subject/subject-pane.js';
import { useTabFace } from './tab-face.js';
import { Top } from './top.js';

const DRAWERS = {
  options: late((later) => later.options),
  break: late((later) => later.break),
  paste: late((later) => later.paste),
  browser: late((later) => later.browser),
};

/** The whole page: what can be done, what happened, and one ceremony in full. */
export function Page({ autofill }: { readonly autofill: Autofill }): JSX.Element {
  const drawer = useAppState((state) => state.drawer);
  const Open = drawer === undefined ? undefined : DRAWERS[drawer];
  useShortcuts();
  useKeepFocus();
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
