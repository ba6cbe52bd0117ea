import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { searchPasskeys } from '../../passkey-facts.js';
import { isRevoked } from '../../state.js';
import { useApp, useAppState } from '../../use-app.js';
import { useMore } from '../use-more.js';
import { PasskeyLine } from './passkey-line.js';
import { useMinutes } from './use-minutes.js';

/** The number of passkeys shown at first, and added with each press of “Show more”. A search field appears when there are more than a few. */
const SHOWN_AT_ONCE = 50;
const ADDED = 100;
const FEW = 8;

/** The stored passkeys of the user, newest first, one line each. */
export function Passkeys(): JSX.Element {
  const { store } = useApp();
  const passkeys = useAppState((state) => state.passkeys);
  const showRevoked = useAppState((state) => state.showRevoked);
  const revokedHere = useAppState((state) => state.revokedHere);
  const user = useAppState((state) => state.user);
  const local = useAppState((state) => state.server?.local === true);
  const signalled = useAppState((state) => state.signalled);
  const waiting = useAppState((state) => state.waiting !== undefined);
  const [wanted, setWanted] = useState('');
  const { list, limit, more, reset } = useMore<HTMLUListElement>(SHOWN_AT_ONCE, ADDED);
  const [open, setOpen] = useState<number>();
  const now = useMinutes();
  const found = useMemo(() => searchPasskeys({ passkeys, showRevoked, revokedHere }, wanted), [passkeys, showRevoked, revokedHere, wanted]);
  const left = found.length - limit;
  return (
    <div id="passkeys" class="pane-body">
      {(passkeys.length > FEW || passkeys.some(isRevoked)) && (
        <div class="passkey-tools">
          {passkeys.length > FEW && (
            <input
              id="passkey-find"
              type="search"
              autocomplete="off"
              dir="auto"
              aria-label="Find a passkey"
              placeholder="Find by name, provider, ID…"
              value={wanted}
              onInput={({ currentTarget }) => {
                setWanted(currentTarget.value);
                reset();
              }}
            />
          )}
          {passkeys.some(isRevoked) && (
            <label class="switch">
              <input
                id="show-revoked"
                type="checkbox"
                checked={showRevoked}
                onChange={({ currentTarget }) => store.set({ showRevoked: currentTarget.checked })}
              />{' '}
              Show revoked passkeys
            </label>
          )}
        </div>
      )}
      {user === undefined && found.length > 0 && <p class="hint remark">Passkeys of the user who was signed in before.</p>}
      {found.length === 0 && <p class="hint remark">{emptyText(passkeys.length > 0 && wanted !== '', user !== undefined)}</p>}
      <ul ref={list} class="passkeys" aria-label="Passkeys">
        {found.slice(0, limit).map((passkey) => (
          <PasskeyLine
            key={passkey.id}
            passkey={passkey}
            user={user}
            local={local}
            revokedHere={revokedHere.includes(passkey.id)}
            hidden={signalled.includes(passkey.credential_id)}
            waiting={waiting}
            now={now}
            open={open === passkey.id}
            onOpen={(opened) => setOpen(opened ? passkey.id : undefined)}
          />
        ))}
      </ul>
      {left > 0 && (
        <button id="show-more" type="button" class="quiet" onClick={more}>
          Show {Math.min(left, ADDED)} more of {found.length}
        </button>
      )}
    </div>
  );
}

function emptyText(searched: boolean, signedIn: boolean): string {
  if (searched) return 'No passkey matches.';
  return signedIn ? 'None yet. Create one above.' : 'None yet. Sign in as a test user and create one.';
}
