import type { JSX } from 'preact';
import type { Item } from '../../items.js';
import { cut } from '../../shown-text.js';
import { useApp, useAppState, useItems } from '../../use-app.js';
import { VERDICTS } from '../../verdicts.js';
import { formatClock } from '../time.js';
import { candidatesFor, isCeremony } from './compare.js';

/** More are not offered: the list finds them. */
const OFFERED = 40;

/** Puts another ceremony beside this one. */
export function CompareWith({ item }: { readonly item: Item }): JSX.Element | null {
  const { store } = useApp();
  const compared = useAppState((state) => state.compared);
  const items = useItems();
  if (!isCeremony(item) || item.verdict === 'waiting') return null;
  const candidates = candidatesFor(item, items).slice(0, OFFERED);
  if (candidates.length === 0) return null;
  const chosen = candidates.some(({ key }) => key === compared) ? (compared ?? '') : '';
  return (
    <select
      class="compare-with"
      aria-label="Compare this ceremony with another"
      value={chosen}
      onChange={({ currentTarget }) => store.set({ compared: currentTarget.value === '' ? undefined : currentTarget.value })}
    >
      <option value="">{chosen === '' ? 'Compare with…' : 'Do not compare'}</option>
      {candidates.map((other) => (
        <option key={other.key} value={other.key}>
          {`${formatClock(other.at)} ${VERDICTS[other.verdict].sign} ${cut(other.title)}${other.code === undefined ? '' : `, ${other.code}`}`}
        </option>
      ))}
    </select>
  );
}
