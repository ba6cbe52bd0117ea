import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { authenticate } from '../../flow/authenticate.js';
import type { Autofill } from '../../flow/autofill.js';
import { register } from '../../flow/register.js';
import type { Drawer } from '../../state.js';
import { useApp, useAppState } from '../../use-app.js';

/** What can be done: the two ceremonies, and the drawers. */
export function ActionBar(_: { readonly autofill: Autofill }): JSX.Element {
  const app = useApp();
  const waiting = useAppState((state) => state.waiting !== undefined);
  const drawer = useAppState((state) => state.drawer);
  const label = useRef<HTMLInputElement>(null);
  const toggle = (name: Drawer, text: string) => (
    <button
      type="button"
      class="quiet"
      aria-pressed={drawer === name}
      onClick={() => app.store.set({ drawer: drawer === name ? undefined : name })}
    >
      {text}
    </button>
  );
  return (
    <nav class="bar" aria-label="Actions">
      <form
        id="register"
        onSubmit={(event) => {
          event.preventDefault();
          void register(app, { label: label.current?.value.trim() ?? '' });
        }}
      >
        <input id="label" ref={label} type="text" maxLength={255} aria-label="Name of the passkey, optional" placeholder="Name, optional" />
        <button id="register-button" type="submit" class="primary" aria-disabled={waiting}>
          Create a passkey
        </button>
      </form>
      <button
        id="login-button"
        type="button"
        class="primary"
        aria-disabled={waiting}
        onClick={() => void authenticate(app, { passkey: undefined, endpoint: 'login' })}
      >
        Log in
      </button>
      <span class="gap" />
      {toggle('options', 'Options')}
      {toggle('break', 'Break it')}
      {toggle('paste', 'Paste')}
    </nav>
  );
}
