import type { JSX } from 'preact';
import type { Mistake } from '../../break-it.js';
import { useMore } from '../use-more.js';
import { MistakeItem } from './mistake-item.js';

/** The number of mistakes shown at first, and with each press of “Show more”. */
const SHOWN_AT_ONCE = 40;

interface MistakeListProps {
  readonly id: string;
  readonly title: string;
  readonly mistakes: readonly Mistake[];
  /** Says of each at once why it matters. */
  readonly withWhy?: boolean;
}

export function MistakeList({ id, title, mistakes, withWhy = false }: MistakeListProps): JSX.Element | null {
  const { list, limit, more } = useMore<HTMLUListElement>(SHOWN_AT_ONCE, SHOWN_AT_ONCE);
  if (mistakes.length === 0) return null;
  return (
    <section aria-labelledby={`${id}-heading`}>
      <h3 id={`${id}-heading`} class="break-heading">
        {title} <span class="count">{mistakes.length}</span>
      </h3>
      <ul id={id} ref={list} class="mistakes">
        {mistakes.slice(0, limit).map((mistake) => (
          <MistakeItem key={mistake.row.id} mistake={mistake} withWhy={withWhy} />
        ))}
      </ul>
      {mistakes.length > limit && (
        <button type="button" class="quiet" onClick={more}>
          Show {Math.min(SHOWN_AT_ONCE, mistakes.length - limit)} more
        </button>
      )}
    </section>
  );
}
