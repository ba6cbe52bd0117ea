import type { JSX } from 'preact';

/** What to do first, and what will happen. */
export function Welcome(): JSX.Element {
  return <p class="hint">Create a passkey, or pick a ceremony from the list.</p>;
}
