import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { signOut } from '../../flow/account.js';
import { shownText } from '../../shown-text.js';
import type { User } from '../../state.js';
import { useApp, useAppState } from '../../use-app.js';
import { Monogram } from '../monogram.js';
import { Popup } from '../popup.js';
import { Text } from '../text.js';
import { SignInForm } from './sign-in-form.js';
import { TokenForm } from './token-form.js';

/** Who is signed in, and the way to another user. */
export function Switcher(): JSX.Element {
  const user = useAppState((state) => state.user);
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  /** The panel goes away, the button says who it is now. */
  const close = () => {
    setOpen(false);
    root.current?.querySelector('button')?.focus();
  };
  useEffect(() => {
    if (open) root.current?.querySelector<HTMLElement>('.popup-panel input')?.focus();
  }, [open]);
  return (
    <div ref={root}>
      <Popup
        id="switcher"
        panel="people"
        class="switcher"
        text={user === undefined ? 'Sign in' : <Who user={user} />}
        open={open}
        onToggle={setOpen}
      >
        {user !== undefined && <SignedIn user={user} onOut={close} />}
        <Ways signedIn={user !== undefined} onIn={close} />
      </Popup>
    </div>
  );
}

function Who({ user: { name, email } }: { readonly user: User }): JSX.Element {
  return (
    <>
      <Monogram name={name} />
      <span class="unseen">Signed in as </span>
      <span id="signed-in-as" dir="auto">
        {shownText(name)}
      </span>
      {email !== '' && email !== name && <span class="email">{email}</span>}
    </>
  );
}

interface SignedInProps {
  readonly user: User;
  readonly onOut: () => void;
}

function SignedIn({ user: { name, email, owner }, onOut }: SignedInProps): JSX.Element {
  const app = useApp();
  const byToken = useAppState((state) => state.token !== undefined);
  return (
    <div class="signed-in">
      <p>
        <strong>
          <Text text={name} />
        </strong>{' '}
        {email} {owner !== '' && <code class="badge">{owner}</code>}
      </p>
      <p class="hint">Signed in {byToken ? 'with a bearer token in this tab' : 'with the session of a login'}.</p>
      <div class="actions">
        <button id="sign-out" type="button" onClick={() => void signOut(app).then(onOut)}>
          Sign out
        </button>
      </div>
    </div>
  );
}

interface WaysProps {
  readonly signedIn: boolean;
  readonly onIn: () => void;
}

/** The ways to sign in that this server has for this browser. */
function Ways({ signedIn, onIn }: WaysProps): JSX.Element {
  const mode = useAppState((state) => state.mode);
  const local = useAppState((state) => state.server?.local === true);
  const refusal = useAppState((state) => state.server?.refusal ?? '');
  if (mode === 'unknown') return <p class="hint">Asking the server…</p>;
  if (mode === 'unreachable') return <p class="hint">The server does not answer. Start it with `passkey serve`, then reload.</p>;
  if (!local) {
    return (
      <>
        {!signedIn && <p class="hint refusal">{refusal} Create a token with: passkey token create --user you@example.com</p>}
        <TokenForm onIn={onIn} />
      </>
    );
  }
  return (
    <>
      <SignInForm signedIn={signedIn} onIn={onIn} />
      <details class="more">
        <summary>Use a bearer token instead</summary>
        <TokenForm onIn={onIn} />
      </details>
    </>
  );
}
