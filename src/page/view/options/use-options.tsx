import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { changedMembers } from '../../../kernel/changed-members.js';
import type { JsonObject } from '../../../kernel/json-value.js';
import type { CeremonyKind } from '../../../webauthn/enumerations.js';
import { effectiveOptions, ownOptions } from '../../setup/own-options.js';
import type { Options } from '../../setup/settings.js';
import { useApp, useMembers } from '../../use-app.js';

export interface EditedOptions extends Options {
  readonly dictionary: CeremonyKind;
  /** Options that the browser gets. */
  readonly effective: JsonObject;
  /** Dotted names of the changed members. */
  readonly names: readonly string[];
  /** Replaces the changes, and discards any mistakes in the JSON. */
  write(changed: JsonObject): void;
}

/** Reads the creation or request options: the server's own, the changes, and both combined. */
export function useOptions(dictionary: CeremonyKind): EditedOptions {
  const { store } = useApp();
  const { server, user, setup, passkeys } = useMembers('server', 'user', 'setup', 'passkeys');
  return useMemo(() => {
    const own = ownOptions(dictionary, { server, user, setup, passkeys }, location.origin);
    const changed = setup[dictionary];
    const effective = effectiveOptions(dictionary, own, changed);
    return {
      dictionary,
      own,
      changed,
      effective,
      names: changedMembers(effective, own),
      write: (next) => {
        const state = store.get();
        const invalid = state.invalid[dictionary] === undefined ? state.invalid : { ...state.invalid, [dictionary]: undefined };
        store.set({ setup: { ...state.setup, [dictionary]: next }, invalid });
      },
    };
  }, [store, dictionary, server, user, setup, passkeys]);
}

/** Badge that shows the number of changed options. */
export function ChangeCount({ count, invalid }: { readonly count: number; readonly invalid: boolean }): JSX.Element | null {
  if (invalid) {
    return (
      <span class="change-count badge bad">
        <span aria-hidden="true">!</span>
        <span class="unseen"> cannot be used</span>
      </span>
    );
  }
  return count === 0 ? null : (
    <span class="change-count">
      <span class="dot accent" aria-hidden="true" />
      {count}
      <span class="unseen"> changed</span>
    </span>
  );
}
