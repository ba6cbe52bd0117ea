import type { JSX } from 'preact';
import { useAppState } from '../../use-app.js';

/** The stored passkeys of the user, one line each. */
export function Passkeys(): JSX.Element {
  const passkeys = useAppState((state) => state.passkeys);
  return (
    <ul class="passkeys">
      {passkeys.map(({ id, label }) => (
        <li key={id}>{label}</li>
      ))}
    </ul>
  );
}
