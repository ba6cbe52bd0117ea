import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { CEREMONIES } from '../../webauthn/enumerations.js';
import type { Autofill } from '../flow/autofill.js';
import { chooseNext, nameCeremony } from '../flow/break-it.js';
import { authenticate, blockedBecause, register, unusableBecause } from '../flow/ceremonies.js';
import { openPaste } from '../flow/explain.js';
import { isFirstVisit, knowsPasskey } from '../flow/first-visit.js';
import type { Drawer, ServerState } from '../state.js';
import { useApp, useAppState } from '../use-app.js';
import { AutofillField } from './autofill-field.js';
import { Button, Form } from './controls.js';
import { DropTarget } from './drop-target.js';
import { ChangeCount, useOptions } from './options/use-options.js';

/** Bar with the buttons for the two ceremonies and the drawers. */
export function ActionBar({ autofill }: { readonly autofill: Autofill }): JSX.Element {
  const first = useAppState(isFirstVisit);
  const site = useAppState(({ server }) => server?.site);
  return (
    <nav class="bar" aria-label="Actions">
      {site !== undefined ? <Watching site={site} /> : !first && <Ceremonies autofill={autofill} />}
      <span class="gap" />
      <DrawerButtons first={first} />
      <DropTarget />
    </nav>
  );
}

/**
 * Shows the site that `passkey browse` follows, and how the site's next ceremony will be broken. In this case the page's own server has no
 * users or passkeys.
 */
function Watching({ site: { url, tamper } }: { readonly site: NonNullable<ServerState['site']> }): JSX.Element {
  const app = useApp();
  return (
    <p id="watching" class="line">
      <span>
        Watching <b>{url}</b>
        {tamper !== null && ` · next ${nameCeremony(tamper.kind)} will be broken: ${tamper.title}`}
      </span>
      {tamper !== null && (
        <button id="undo-break" type="button" onClick={() => void chooseNext(app, null, 'Nothing will be broken.')}>
          Undo
        </button>
      )}
    </p>
  );
}

/** Buttons that start a registration or an authentication. Hidden on the first visit, because the welcome view has a button for that. */
function Ceremonies({ autofill }: { readonly autofill: Autofill }): JSX.Element {
  const app = useApp();
  // Without a passkey, the button of the welcome is the next step.
  const known = useAppState(knowsPasskey);
  const blocked = useAppState((state) => blockedBecause(state, 'authentication'));
  const begin = (endpoint: 'login' | 'verify') => void authenticate(app, { passkey: undefined, endpoint });
  return (
    <>
      <RegisterForm />
      <Button id="login-button" primary={known} blocked={blocked} onClick={() => begin('login')}>
        Log in
      </Button>
      <Button id="verify-button" title="Checks a passkey without logging in" blocked={blocked} onClick={() => begin('verify')}>
        Verify only
      </Button>
      <AutofillField autofill={autofill} />
    </>
  );
}

function RegisterForm(): JSX.Element {
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
    <Form id="register" onSend={create}>
      <input
        id="label"
        ref={label}
        type="text"
        maxLength={255}
        autocomplete="off"
        aria-label="Name of the passkey, optional"
        placeholder="Name, optional"
      />
      <Button id="register-button" type="submit" blocked={blocked}>
        Register a passkey
      </Button>
      {conditional && (
        <Button
          id="conditional-create"
          class="quiet"
          blocked={blocked}
          title="Conditional create: the browser answers only if a password manager has just signed you in here"
          onClick={() => void create('conditional')}
        >
          Register without a dialog
        </Button>
      )}
    </Form>
  );
}

/** Buttons that open the drawers. On the first visit, shows only Paste, and Options if the page's address contains changed options. */
function DrawerButtons({ first }: { readonly first: boolean }): JSX.Element {
  const site = useAppState(({ server }) => server?.site);
  const app = useApp();
  const { store } = app;
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
      {site === undefined &&
        (!first || changed > 0 || invalid || open === 'options') &&
        toggle('options', 'Options', <ChangeCount count={changed} invalid={invalid} />)}
      {(!first || open === 'break') && toggle('break', 'Break it')}
      <button id="open-paste" type="button" class="quiet" onClick={() => openPaste(app)}>
        Paste
      </button>
    </>
  );
}
