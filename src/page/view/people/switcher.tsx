import type { JSX } from 'preact';
import { useAppState } from '../../use-app.js';

/** Who is signed in, and the way to another user. */
export function Switcher(): JSX.Element {
  const user = useAppState((state) => state.user);
  return <p class="switcher">{user === undefined ? 'signed out' : user.email}</p>;
}
