import type { JSX } from 'preact';
import type { Item } from '../../items.js';
import { Bytes } from '../bytes/bytes.js';
import { Share } from '../share/share.js';
import { VerdictBadge } from '../verdict-badge.js';
import { Checklist } from './checklist.js';
import { Legs } from './legs.js';

/** One item whole: verdict, steps, bytes, requests. */
export function Ceremony({ item }: { readonly item: Item }): JSX.Element {
  return (
    <article class="ceremony" aria-labelledby={`${item.key}-heading`}>
      <header class="ceremony-head">
        <VerdictBadge verdict={item.verdict} />
        <h2 id={`${item.key}-heading`} tabIndex={-1}>
          {item.title}
        </h2>
        <Share item={item} />
      </header>
      <Checklist item={item} />
      <Bytes item={item} />
      <Legs item={item} />
    </article>
  );
}
