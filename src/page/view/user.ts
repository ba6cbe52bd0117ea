import { MAX_TEXT_LENGTH } from '../../webauthn/limits.js';
import { byId, h, hint, replace } from '../dom.js';
import { adoptToken, signIn, signOut } from '../flow/account.js';
import type { App } from '../flow/app.js';
import type { AppState, User } from '../state.js';

/** The number of users with a button; all others sign in by e-mail. */
const OFFERED = 8;

/** Who is signed in, and the ways to sign in. */
export function mountUser(app: App): void {
  const root = byId('user', HTMLDivElement);
  app.store.watch(['mode', 'server', 'user', 'token'], (state) => {
    if (state.mode === 'unknown') {
      replace(root, hint('Asking the server…'));
    } else if (state.user === undefined) {
      replace(root, ...signedOut(app, state));
    } else {
      replace(root, signedIn(app, state, state.user));
    }
  });
}

function signedIn(app: App, state: AppState, user: User): Node {
  const by = state.token === undefined ? 'with the session of a login' : 'with a bearer token in this tab';
  return h(
    'div',
    { class: 'person' },
    h(
      'p',
      {},
      h('strong', { id: 'signed-in-as', dir: 'auto' }, user.name),
      user.email === '' ? undefined : h('span', { class: 'hint' }, ` ${user.email}`),
      user.owner === '' ? undefined : h('code', { class: 'badge owner' }, user.owner),
    ),
    hint(`Signed in ${by}.`),
    h('div', { class: 'actions' }, h('button', { id: 'sign-out', type: 'button', onClick: () => void signOut(app) }, 'Sign out')),
  );
}

function signedOut(app: App, state: AppState): Node[] {
  if (state.mode === 'unreachable') {
    return [hint('The server does not answer. Start it with `passkey serve`, then reload.')];
  }
  if (state.server?.local !== true) {
    const why = state.mode === 'production' ? 'This server runs in production mode.' : (state.server?.refusal ?? '');
    return [hint(`${why} Create a token with: passkey token create --user you@example.com`), tokenForm(app)];
  }
  return [
    signInForm(app, state.server.users),
    h('details', { class: 'more' }, h('summary', {}, 'Use a bearer token instead'), tokenForm(app)),
  ];
}

function signInForm(app: App, users: readonly User[]): Node {
  const email = h('input', {
    id: 'email',
    name: 'email',
    type: 'email',
    required: true,
    autocomplete: 'off',
    // On a fresh server the button works without typing.
    value: users.length === 0 ? 'test@example.com' : undefined,
    list: 'known-emails',
    placeholder: 'somebody@example.com',
  });
  const name = h('input', { id: 'name', name: 'name', type: 'text', autocomplete: 'off', dir: 'auto', maxlength: MAX_TEXT_LENGTH });
  const submit = (event: Event) => {
    event.preventDefault();
    void signIn(app, { email: email.value.trim(), ...(name.value.trim() === '' ? {} : { name: name.value.trim() }) });
  };
  return h(
    'div',
    {},
    users.length === 0
      ? undefined
      : h(
          'div',
          { class: 'people', role: 'group', 'aria-labelledby': 'people-label' },
          h('span', { id: 'people-label', class: 'hint' }, 'Sign in again as'),
          ...users
            .slice(-OFFERED)
            .toReversed()
            .map((user) =>
              h(
                'button',
                {
                  type: 'button',
                  class: 'person-button',
                  dir: 'auto',
                  title: `${user.email} ${user.owner}`,
                  onClick: () => void signIn(app, { owner: user.owner }),
                },
                user.name,
              ),
            ),
        ),
    h(
      'form',
      { id: 'sign-in', onSubmit: submit },
      h('label', { for: 'email' }, users.length === 0 ? 'E-mail of a test user' : 'Another user, by e-mail'),
      email,
      h('datalist', { id: 'known-emails' }, ...users.map((user) => h('option', { value: user.email }, user.name))),
      h('label', { for: 'name' }, 'Name ', h('small', {}, 'optional, for a new user')),
      name,
      h('div', { class: 'actions' }, h('button', { id: 'sign-in-button', type: 'submit', class: 'primary' }, 'Sign in as a test user')),
      hint('Development sign-in: no proof needed. An unknown address becomes a new user.'),
    ),
  );
}

function tokenForm(app: App): Node {
  const token = h('input', { id: 'token', name: 'token', type: 'password', required: true, autocomplete: 'off', spellcheck: 'false' });
  const submit = (event: Event) => {
    event.preventDefault();
    void adoptToken(app, token.value.trim());
  };
  return h(
    'form',
    { id: 'use-token', onSubmit: submit },
    h('label', { for: 'token' }, 'Bearer token'),
    token,
    h('div', { class: 'actions' }, h('button', { type: 'submit' }, 'Use this token')),
  );
}
