import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { MAX_TEXT_LENGTH } from '../../../kernel/limits.js';
import { signIn } from '../../flow/account.js';
import { FIRST_USER, searchUsers } from '../../people.js';
import { shownText } from '../../shown-text.js';
import { useApp, useAppState } from '../../use-app.js';
import { Monogram } from '../monogram.js';

/** Known users with a button; the search finds the others. */
const OFFERED = 8;

interface SignInFormProps {
  readonly signedIn: boolean;
  readonly onIn: () => void;
}

/** Development sign-in: one field that finds known users and makes new ones. */
export function SignInForm({ signedIn, onIn }: SignInFormProps): JSX.Element {
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
              <button type="button" class="person" title={`${user.email} ${user.owner}`} onClick={() => void begin({ owner: user.owner })}>
                <Monogram name={user.name} />
                <span dir="auto">{shownText(user.name)}</span> <span class="hint">{user.email}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {found.length > OFFERED && <p class="hint">{found.length - OFFERED} more: type a part of the name or e-mail.</p>}
      <label for="name">
        Name <small>optional, for a new user</small>
      </label>
      <div class="beside">
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
