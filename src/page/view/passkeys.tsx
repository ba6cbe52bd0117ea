import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { count } from '../../kernel/wording.js';
import { agoText, describeBackup, findProvider, searchPasskeys } from '../passkey-facts.js';
import { shownText } from '../shown-text.js';
import { isRevoked, type PasskeyRow } from '../state.js';
import { useApp, useAppState, useMembers } from '../use-app.js';
import { Check, Search } from './controls.js';
import { Monogram } from './monogram.js';
import { type Focusable, PasskeyPanel } from './passkey-panel.js';
import { formatTime } from './time.js';
import { useMore } from './use-more.js';

/**
 * Number of passkeys shown at first, and added with each press of “Show more”. A search field appears if there are more than a few
 * passkeys.
 */
const SHOWN_AT_ONCE = 50;
const ADDED = 100;
const FEW = 8;

/** List of the user's stored passkeys, newest first, one line each. */
export function Passkeys(): JSX.Element {
  const { store } = useApp();
  const { passkeys, showRevoked, revokedHere, user } = useMembers('passkeys', 'showRevoked', 'revokedHere', 'user');
  const signalled = useAppState((state) => state.signalled);
  const stored = useAppState(({ server }) => server?.stored ?? 0);
  const [wanted, setWanted] = useState('');
  const { list, limit, more, reset } = useMore<HTMLUListElement>(SHOWN_AT_ONCE, ADDED);
  const [open, setOpen] = useState<number>();
  const now = useMinutes();
  const found = useMemo(() => searchPasskeys({ passkeys, showRevoked, revokedHere }, wanted), [passkeys, showRevoked, revokedHere, wanted]);
  const left = found.length - limit;
  return (
    <div id="passkeys" class="pane-body">
      {(passkeys.length > FEW || passkeys.some(isRevoked)) && (
        <div class="line tools">
          {passkeys.length > FEW && (
            <Search
              id="passkey-find"
              name="Find a passkey"
              placeholder="Find by name, provider, ID…"
              value={wanted}
              onSearch={(text) => {
                setWanted(text);
                reset();
              }}
            />
          )}
          {passkeys.some(isRevoked) && (
            <Check id="show-revoked" checked={showRevoked} onCheck={(checked) => store.set({ showRevoked: checked })}>
              Show revoked passkeys
            </Check>
          )}
        </div>
      )}
      {user === undefined && found.length > 0 && <p class="hint remark">Passkeys of the user who was signed in before.</p>}
      {found.length === 0 && <p class="hint remark">{emptyText(passkeys.length > 0 && wanted !== '', user !== undefined, stored)}</p>}
      <ul ref={list} class="passkeys" aria-label="Passkeys">
        {found.slice(0, limit).map((passkey) => (
          <PasskeyLine
            key={passkey.id}
            passkey={passkey}
            hidden={signalled.includes(passkey.credential_id)}
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

function emptyText(searched: boolean, signedIn: boolean, stored: number): string {
  if (searched) return 'No passkey matches.';
  if (!signedIn && stored > 0) return `The store holds ${count(stored, 'passkey')}. Sign in to see yours.`;
  return signedIn ? 'None yet. Register one above.' : 'None yet. Sign in as a test user and register one.';
}

const MINUTE = 60_000;

/** Returns the current time in milliseconds since the epoch, updated every minute while the view is shown. */
function useMinutes(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE);
    return () => clearInterval(timer);
  }, []);
  return now;
}

interface PasskeyLineProps {
  readonly passkey: PasskeyRow;
  /** True if the browser was asked to hide or delete the passkey. */
  readonly hidden: boolean;
  /** Current time in milliseconds since the epoch. */
  readonly now: number;
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
}

/** Line of one stored passkey. Pressing the line opens the passkey's panel. */
function PasskeyLine({ passkey, now, open, onOpen, hidden }: PasskeyLineProps): JSX.Element {
  const revoked = isRevoked(passkey);
  const id = `passkey-${passkey.id}`;
  const root = useRef<HTMLLIElement>(null);
  const line = useRef<HTMLButtonElement>(null);
  const [focus, setFocus] = useState<{ readonly name: Focusable }>();
  useLayoutEffect(() => {
    if (focus === undefined) return;
    (root.current?.querySelector<HTMLElement>(`#${id}-${focus.name}`) ?? line.current)?.focus();
  }, [focus, id]);
  const used = typeof passkey.last_used_at === 'string' ? passkey.last_used_at : undefined;
  const provider = findProvider(passkey);
  return (
    <li
      id={id}
      ref={root}
      class={`passkey${revoked ? ' revoked' : ''}${open ? ' open' : ''}`}
      data-credential-id={passkey.credential_id}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open) return;
        event.stopPropagation();
        line.current?.focus();
        onOpen(false);
      }}
    >
      <button id={`${id}-menu`} ref={line} type="button" class="bare passkey-line" aria-expanded={open} onClick={() => onOpen(!open)}>
        <Monogram name={passkey.provider ?? passkey.label} />
        <span id={`${id}-label`} class="cut passkey-label" dir="auto">
          {shownText(passkey.label)}
        </span>
        {provider !== undefined && provider !== passkey.label && (
          <span class="cut hint passkey-provider" title={passkey.aaguid}>
            {provider}
          </span>
        )}
        <span class="line end">
          {hidden && (
            <span class="badge warn" title="The browser was asked to hide or delete it">
              maybe hidden
            </span>
          )}
          {revoked ? <span class="badge bad">revoked</span> : <Backup passkey={passkey} />}
          <time class="fact" dateTime={used} title={used === undefined ? undefined : `Last used ${formatTime(used, 'medium')}`}>
            <span class="unseen">last used </span>
            {used === undefined ? 'never' : agoText(used, now)}
          </time>
        </span>
      </button>
      {open && <PasskeyPanel passkey={passkey} onFocus={(name) => setFocus({ name })} />}
    </li>
  );
}

function Backup({ passkey }: { readonly passkey: PasskeyRow }): JSX.Element | null {
  const text = describeBackup(passkey);
  return text === undefined ? null : (
    <span class={text === 'synced' ? 'badge accent' : 'badge'} title="Backup flags of the last ceremony">
      {text}
    </span>
  );
}
