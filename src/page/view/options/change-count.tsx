import type { JSX } from 'preact';

/** Dot and number of what was changed. */
export function ChangeCount({ count, invalid }: { readonly count: number; readonly invalid: boolean }): JSX.Element | null {
  if (invalid) {
    return (
      <span class="change-count wrong">
        <span aria-hidden="true">!</span>
        <span class="unseen"> cannot be used</span>
      </span>
    );
  }
  return count === 0 ? null : (
    <span class="change-count">
      <span class="changed-dot" aria-hidden="true" />
      {count}
      <span class="unseen"> changed</span>
    </span>
  );
}
