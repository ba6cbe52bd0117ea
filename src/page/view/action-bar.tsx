import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { CEREMONIES } from '../../webauthn/enumerations.js';
import type { Autofill } from '../flow/autofill.js';
import { authenticate, blockedBecause, register, unusableBecause } from '../flow/ceremonies.js';
import { isFirstVisit, knowsPasskey } from '../flow/first-visit.js';
import type { Drawer } from '../state.js';
import { useApp, useAppState } from '../use-app.js';
import { AutofillField } from './autofill-field.js';
import { DropTarget } from './drop-target.js';
import { ChangeCount, useOptions } from './options/use-options.js';

/** The buttons of the two ceremonies and of the drawers. */
export function ActionBar({ autofill }: { readonly autofill: Autofill }): JSX.Element {
  const first = useAppState(isFirstVisit);
  return (
    <nav class="bar" aria-label="Actions">
      {!first && <Ceremonies autofill={autofill} />}
      <span class="gap" />
      <DrawerButtons />
      <DropTarget />
    </nav>
  );
}

/** Both ceremonies; on the first visit the welcome begins one. */
function Ceremonies({ autofill }: { readonly autofill: Autofill }): JSX.Element {
  const app = useApp();
  const signedIn = useAppState((state) => state.user !== undefined);
  // Without a passkey, the button of the welcome is the next step.
  const known = useAppState(knowsPasskey);
  return (
    <>
      <RegisterForm primary={known && signedIn} />
      <Authenticate
        id="login-button"
        text="Log in"
        primary={known && !signedIn}
        onPress={() => void authenticate(app, { passkey: undefined, endpoint: 'login' })}
      />
      <Authenticate
        id="verify-button"
        text="Verify only"
        title="Checks a passkey without logging in"
        onPress={() => void authenticate(app, { passkey: undefined, endpoint: 'verify' })}
      />
      <AutofillField autofill={autofill} />
    </>
  );
}

function RegisterForm({ primary }: { readonly primary: boolean }): JSX.Element {
  const app = useApp();
  const blocked = useAppState((state) => blockedBecause(state, 'registration'));
  const conditional = useAppState((state) => state.capabilities['conditionalCreate'] === true);
  const label = useRef<HTMLInputElement>(null);
  const create = async (mediation?: 'conditional') => {
    const typed = label.current?.value ?? '';
    const verified = await register(app, { label: typed.trim(), ...(mediation !== undefined && { mediation }) });
    // Unless the next name has been typed meanwhile.
    if (verified && label.current?.value === typed) label.current.value = '';
  };
  return (
    <form
      id="register"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <input
        id="label"
        ref={label}
        type="text"
        maxLength={255}
        autocomplete="off"
        aria-label="Name of the passkey, optional"
        placeholder="Name, optional"
      />
      <button
        id="register-button"
        type="submit"
        class={primary ? 'primary' : undefined}
        aria-disabled={blocked !== undefined}
        aria-describedby="register-blocked"
        title={blocked}
      >
        Create a passkey
      </button>
      {conditional && (
        <button
          id="conditional-create"
          type="button"
          class="quiet"
          aria-disabled={blocked !== undefined}
          aria-describedby="register-blocked"
          title={blocked ?? 'Conditional create: the browser answers only if a password manager has just signed you in here'}
          onClick={() => void create('conditional')}
        >
          Create without a dialog
        </button>
      )}
      <span id="register-blocked" class="unseen">
        {blocked}
      </span>
    </form>
  );
}

interface AuthenticateProps {
  readonly id: string;
  readonly text: string;
  readonly title?: string;
  readonly primary?: boolean;
  readonly onPress: () => void;
}

function Authenticate({ id, text, title, primary = false, onPress }: AuthenticateProps): JSX.Element {
  const blocked = useAppState((state) => blockedBecause(state, 'authentication'));
  return (
    <>
      <button
        id={id}
        type="button"
        class={primary ? 'primary' : undefined}
        aria-disabled={blocked !== undefined}
        aria-describedby={`${id}-blocked`}
        title={blocked ?? title}
        onClick={onPress}
      >
        {text}
      </button>
      <span id={`${id}-blocked`} class="unseen">
        {blocked}
      </span>
    </>
  );
}

function DrawerButtons(): JSX.Element {
  const { store } = useApp();
  const open = useAppState((state) => state.drawer);
  const invalid = useAppState((state) => CEREMONIES.some((kind) => unusableBecause(state, kind) !== undefined));
  const application = useAppState(({ setup }) => (setup.appName === '' ? 0 : 1) + (setup.appUrl === '' ? 0 : 1));
  const changed = useOptions('registration').names.length + useOptions('authentication').names.length + application;
  const toggle = (name: Drawer, text: string, mark: JSX.Element | null = null) => (
    <button
      id={`open-${name}`}
      type="button"
      class="quiet"
      aria-expanded={open === name}
      aria-pressed={open === name}
      onClick={() => store.set({ drawer: open === name ? undefined : name })}
    >
      {text}
      {mark}
    </button>
  );
  return (
    <>
      {toggle('options', 'Options', <ChangeCount count={changed} invalid={invalid} />)}
      {toggle('break', 'Break it')}
      {toggle('paste', 'Paste')}
    </>
  );
}
