import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { MAX_TEXT_LENGTH } from '../../kernel/limits.js';
import { adoptToken, signIn, signOut } from '../flow/account.js';
import { FIRST_USER, searchUsers } from '../passkey-facts.js';
import { shownText } from '../shown-text.js';
import type { User } from '../state.js';
import { useApp, useAppState, useMembers } from '../use-app.js';
import { Form } from './controls.js';
import { Monogram } from './monogram.js';
import { Popup } from './popup.js';
import { Text } from './text.js';

/** Button that shows the signed-in user and opens a panel for signing in as another. */
export function Switcher(): JSX.Element {
  const user = useAppState((state) => state.user);
  return (
    <Popup id="switcher" panel="people" class="switcher" text={user === undefined ? 'Sign in' : <Who user={user} />}>
      {(close) => <People onDone={close} />}
    </Popup>
  );
}

interface DoneProps {
  /** Called after a user has signed in or out, to close the panel. */
  readonly onDone: () => void;
}

function People({ onDone }: DoneProps): JSX.Element {
  const user = useAppState((state) => state.user);
  useEffect(() => document.querySelector<HTMLElement>('#people input')?.focus(), []);
  return (
    <>
      {user !== undefined && <SignedIn user={user} onDone={onDone} />}
      <Ways onDone={onDone} />
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

function SignedIn({ user: { name, email, owner }, onDone }: DoneProps & { readonly user: User }): JSX.Element {
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
        <button id="sign-out" type="button" onClick={() => void signOut(app).then(onDone)}>
          Sign out
        </button>
      </div>
    </div>
  );
}

/** Ways to sign in that the server offers to this browser. */
function Ways({ onDone }: DoneProps): JSX.Element {
  const { mode, user, server } = useMembers('mode', 'user', 'server');
  if (mode === 'unknown') return <p class="hint">Asking the server…</p>;
  if (mode === 'unreachable') return <p class="hint">The server does not answer. Start it with `passkey serve`, then reload.</p>;
  if (server?.local !== true) {
    return (
      <>
        {user === undefined && <p class="hint">{server?.refusal} Create a token with: passkey token create --user you@example.com</p>}
        <TokenForm onDone={onDone} />
      </>
    );
  }
  return (
    <>
      <SignInForm onDone={onDone} />
      <details>
        <summary>Use a bearer token instead</summary>
        <TokenForm onDone={onDone} />
      </details>
    </>
  );
}

/** Number of known users that have a button. The search finds the others. */
const OFFERED = 8;

/** Form for development sign-in: one field that finds known users and creates new ones. */
function SignInForm({ onDone }: DoneProps): JSX.Element {
  const app = useApp();
  const { server, user: current } = useMembers('server', 'user');
  const { users } = server ?? { users: [] };
  const [email, setEmail] = useState(users.length === 0 ? FIRST_USER : '');
  const name = useRef<HTMLInputElement>(null);
  const found = searchUsers(users, email).filter(({ owner }) => owner !== current?.owner);
  const begin = async (who: Parameters<typeof signIn>[1]) => {
    if (await signIn(app, who)) onDone();
  };
  const submit = () => {
    const named = name.current?.value.trim() ?? '';
    return begin({ email: email.trim(), ...(named === '' ? {} : { name: named }) });
  };
  return (
    <Form id="sign-in" onSend={submit}>
      <label for="email">{users.length === 0 ? 'E-mail of a test user' : 'Find a user, or name a new one by e-mail'}</label>
      <input
        id="email"
        name="email"
        type="email"
        required
        autocomplete="off"
        placeholder="user@example.com"
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
          {current !== undefined ? 'Switch to this user' : 'Sign in as a test user'}
        </button>
      </div>
      <p class="hint">Development sign-in: no proof needed. An unknown address becomes a new user.</p>
    </Form>
  );
}

/** Form for a bearer token from the command line. Keeps the input until the server has accepted it. */
function TokenForm({ onDone }: DoneProps): JSX.Element {
  const app = useApp();
  const token = useRef<HTMLInputElement>(null);
  const submit = async () => {
    if (await adoptToken(app, token.current?.value ?? '')) onDone();
  };
  return (
    <Form id="use-token" onSend={submit}>
      <label for="token">Bearer token</label>
      <div class="line">
        <input id="token" ref={token} name="token" type="password" required autocomplete="off" spellcheck={false} />
        <button type="submit">Use this token</button>
      </div>
    </Form>
  );
}
