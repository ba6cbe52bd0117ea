import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { agoText, backupOf, providerOf } from '../../passkey-facts.js';
import { shownText } from '../../shown-text.js';
import { isRevoked, type PasskeyRow } from '../../state.js';
import { Monogram } from '../monogram.js';
import { formatTime } from '../time.js';
import { type Focusable, PasskeyPanel, type PasskeyPanelProps } from './passkey-panel.js';

interface PasskeyLineProps extends Omit<PasskeyPanelProps, 'onFocus'> {
  /** The browser was asked to hide or delete it. */
  readonly hidden: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
}

/** One stored passkey: a line that opens its menu. */
export function PasskeyLine(props: PasskeyLineProps): JSX.Element {
  const { passkey, now, open, onOpen, hidden } = props;
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
  const provider = providerOf(passkey);
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
      <button id={`${id}-menu`} ref={line} type="button" class="passkey-line" aria-expanded={open} onClick={() => onOpen(!open)}>
        <Monogram name={passkey.provider ?? passkey.label} />
        <span id={`${id}-label`} class="passkey-label" dir="auto">
          {shownText(passkey.label)}
        </span>
        {provider !== undefined && provider !== passkey.label && (
          <span class="passkey-provider" title={passkey.aaguid}>
            {provider}
          </span>
        )}
        <span class="passkey-marks">
          {hidden && (
            <span class="badge warn" title="The browser was asked to hide or delete it">
              maybe hidden
            </span>
          )}
          {revoked ? <span class="badge bad">revoked</span> : <Backup passkey={passkey} />}
          <time class="passkey-used" dateTime={used} title={used === undefined ? undefined : `Last used ${formatTime(used, 'medium')}`}>
            <span class="unseen">last used </span>
            {used === undefined ? 'never' : agoText(used, now)}
          </time>
        </span>
      </button>
      {open && <PasskeyPanel {...props} onFocus={(name) => setFocus({ name })} />}
    </li>
  );
}

function Backup({ passkey }: { readonly passkey: PasskeyRow }): JSX.Element | null {
  const text = backupOf(passkey);
  return text === undefined ? null : (
    <span class={text === 'synced' ? 'badge accent' : 'badge'} title="Backup flags of the last ceremony">
      {text}
    </span>
  );
}
