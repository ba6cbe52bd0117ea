import { formatTimestamp } from '../../kernel/wording.js';
import type { StreamBook } from './book.js';
import { NOTHING_KEPT } from './kept.js';
import type { FollowedSite } from './outside-port.js';

/** Adds the ceremonies of another site to the entries of the stream. */
export function followSite(site: FollowedSite, book: StreamBook): void {
  site.onCeremony(({ at, endedAt, entry, outside }) => {
    const failed = entry.state === 'rejected' ? outside.explanation?.steps.find(({ status }) => status === 'fail') : undefined;
    const { code = null, section = '7.1', number = 0, slug = '', title = '', expected, received, hint } = failed ?? {};
    const step = { section, number, slug, title, expected: expected ?? '', received: received ?? '', hint: hint ?? '' };
    const ended = { finished_at: formatTimestamp(endedAt), code, step: failed === undefined ? null : step };
    book.changed(book.add({ at, ...entry, ...ended }, { ...NOTHING_KEPT, outside }));
  });
}
