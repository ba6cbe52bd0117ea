import { useEffect } from 'preact/hooks';
import type { App } from '../flow/app.js';
import { openPaste } from '../flow/explain.js';
import type { Drawer } from '../state.js';
import { useApp } from '../use-app.js';

function showCeremonies({ store }: App): void {
  store.set({ list: 'ceremonies' });
}

/** Keyboard shortcuts, one key each. They do not apply in text fields. */
export const SHORTCUTS: readonly {
  readonly key: string;
  readonly does: string;
  readonly focus?: readonly string[];
  readonly drawer?: Drawer;
  readonly act?: (app: App) => void;
}[] = [
  { key: 'r', does: 'Register a passkey', focus: ['register-button', 'create-test-passkey'] },
  { key: 'l', does: 'Log in', focus: ['login-button', 'log-in-instead'] },
  { key: 's', does: 'To the list of ceremonies', focus: ['list-heading'], act: showCeremonies },
  { key: 'c', does: 'To the ceremony', focus: ['subject'] },
  { key: '/', does: 'Search the list', focus: ['list-search'], act: showCeremonies },
  { key: 'o', does: 'Options', drawer: 'options' },
  { key: 'b', does: 'Break it', drawer: 'break' },
  { key: 'p', does: 'Paste', act: openPaste },
  { key: '?', does: 'This browser and keys', drawer: 'browser' },
];

const TYPED_INTO = 'input, textarea, select, [contenteditable]';

/** Listens for the shortcuts while the page is shown, and for Escape, which closes the drawer. */
export function useShortcuts(): void {
  const app = useApp();
  const { store } = app;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      const typing = target instanceof Element && target.matches(TYPED_INTO);
      if (key === 'Escape' && (!typing || target.closest('.drawer') !== null)) store.set({ drawer: undefined });
      if (ctrlKey || metaKey || altKey || typing) return;
      const shortcut = SHORTCUTS.find((one) => one.key === key);
      // The options are of ceremonies at this server.
      if (shortcut === undefined || (shortcut.drawer === 'options' && store.get().server?.site)) return;
      event.preventDefault();
      shortcut.act?.(app);
      if (shortcut.drawer !== undefined) {
        store.set({ drawer: store.get().drawer === shortcut.drawer ? undefined : shortcut.drawer });
      }
      const { focus = [], act } = shortcut;
      // One that is not there is drawn after the action.
      const toFocus = focus.find((id) => document.getElementById(id) !== null) ?? (act && focus[0]);
      if (toFocus !== undefined) store.set({ toFocus });
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [app]);
}
