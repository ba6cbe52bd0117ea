import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { MAX_TEXT_LENGTH } from '../../kernel/limits.js';
import { adoptToken, signIn, signOut } from '../flow/account.js';
import { FIRST_USER, searchUsers } from '../passkey-facts.js';
import { shownText } from '../shown-text.js';
import type { User } from '../state.js';
import { useApp, useAppState } from '../use-app.js';
import { Monogram } from './monogram.js';
import { Popup } from './popup.js';
import { Text } from './text.js';

/** The signed-in user, and the way to another one. */
export function Switcher(): JSX.Element {
  const user = useAppState((state) => state.user);
  return (
    <Popup id="switcher" panel="people" class="switcher" text={user === undefined ? 'Sign in' : <Who user={user} />}>
      {(close) => <People user={user} onDone={close} />}
    </Popup>
  );
}

interface PeopleProps {
  readonly user: User | undefined;
  /** Somebody was signed in or out: the panel goes away, the button says who it is now. */
  readonly onDone: () => void;
}

function People({ user, onDone }: PeopleProps): JSX.Element {
  useEffect(() => document.querySelector<HTMLElement>('#people input')?.focus(), []);
  return (
    <>
      {user !== undefined && <SignedIn user={user} onOut={onDone} />}
      <Ways signedIn={user !== undefined} onIn={onDone} />
    </>
  );
}

function Who({ user: { name, email } }: { readonly user: User }): JSX.Element {
  return (
    <>
      <Monogram name={name} />
      <span class="unseen">Signed in as </span>
      <b id="signed-in-as" class="cut" dir="auto">
        {shownText(name)}
      </b>
      {email !== '' && email !== name && <span class="hint cut email">{email}</span>}
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
    <div>
      <p>
        <strong>
          <Text text={name} />
        </strong>{' '}
        {email} {owner !== '' && <code class="badge">{owner}</code>}
      </p>
      <p class="hint">Signed in {byToken ? 'with a bearer token in this tab' : 'with the session of a login'}.</p>
      <div class="line">
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
        {!signedIn && <p class="hint">{refusal} Create a token with: passkey token create --user you@example.com</p>}
        <TokenForm onIn={onIn} />
      </>
    );
  }
  return (
    <>
      <SignInForm signedIn={signedIn} onIn={onIn} />
      <details>
        <summary>Use a bearer token instead</summary>
        <TokenForm onIn={onIn} />
      </details>
    </>
  );
}

/** Known users with a button; the search finds the others. */
const OFFERED = 8;

interface SignInFormProps {
  readonly signedIn: boolean;
  readonly onIn: () => void;
}

/** Development sign-in: one field that finds known users and makes new ones. */
function SignInForm({ signedIn, onIn }: SignInFormProps): JSX.Element {
  const app = useApp();
  const users = useAppState((state) => state.server?.users ?? NOBODY);
  const current = useAppState((state) => state.user?.owner);
  const [email, setEmail] = useState(users.length === 0 ? FIRST_USER : '');
  const name = useRef<HTMLInputElement>(null);
  const found = searchUsers(users, email).filter(({ owner }) => owner !== current);
  const begin = async (who: Parameters<typeof signIn>[1]) => {
    if (await signIn(app, who)) onIn();
  };
  const submit = () => {
    const named = name.current?.value.trim() ?? '';
    return begin({ email: email.trim(), ...(named === '' ? {} : { name: named }) });
  };
  return (
    <form
      id="sign-in"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <label for="email">{users.length === 0 ? 'E-mail of a test user' : 'Find a user, or name a new one by e-mail'}</label>
      <input
        id="email"
        name="email"
        type="email"
        required
        autocomplete="off"
        placeholder="somebody@example.com"
        value={email}
        onInput={({ currentTarget }) => setEmail(currentTarget.value)}
      />
      {found.length > 0 && (
        <ul class="known" aria-label="Known users">
          {found.slice(0, OFFERED).map((user) => (
            <li key={user.owner}>
              <button
                type="button"
                class="bare person"
                title={`${user.email} ${user.owner}`}
                onClick={() => void begin({ owner: user.owner })}
              >
                <Monogram name={user.name} />
                <span class="cut" dir="auto">
                  {shownText(user.name)}
                </span>{' '}
                <span class="cut hint">{user.email}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {found.length > OFFERED && <p class="hint">{found.length - OFFERED} more: type a part of the name or e-mail.</p>}
      <label for="name">
        Name <small>optional, for a new user</small>
      </label>
      <div class="line">
        <input id="name" ref={name} name="name" type="text" autocomplete="off" dir="auto" maxLength={MAX_TEXT_LENGTH} />
        <button id="sign-in-button" type="submit" class="primary">
          {signedIn ? 'Switch to this user' : 'Sign in as a test user'}
        </button>
      </div>
      <p class="hint">Development sign-in: no proof needed. An unknown address becomes a new user.</p>
    </form>
  );
}

const NOBODY: readonly never[] = [];

/** A bearer token of the command line. The input stays until the server has accepted it. */
function TokenForm({ onIn }: { readonly onIn: () => void }): JSX.Element {
  const app = useApp();
  const token = useRef<HTMLInputElement>(null);
  const submit = async () => {
    if (await adoptToken(app, token.current?.value ?? '')) onIn();
  };
  return (
    <form
      id="use-token"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <label for="token">Bearer token</label>
      <div class="line">
        <input id="token" ref={token} name="token" type="password" required autocomplete="off" spellcheck={false} />
        <button type="submit">Use this token</button>
      </div>
    </form>
  );
}
