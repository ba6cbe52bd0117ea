import { Component, type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Listed, Persona } from '../catalogue.js';
import { describeSoftware, type Item } from '../items.js';
import type { Waiting } from '../state.js';
import { useApp } from '../use-app.js';
import { describeVerdict, VERDICTS } from '../verdicts.js';
import { formatClock, waitingText } from './time.js';

interface RowProps {
  readonly item: Item;
  readonly selected: boolean;
  /** True if the Tab key stops at this row. Only one row of the list is a stop. */
  readonly tabStop: boolean;
  /** True if the row is out of sight at first. It is then laid out only when the user scrolls to it. */
  readonly far: boolean;
  /** Heading above the row. */
  readonly heading: string | undefined;
  /** State of waiting; undefined unless the ceremony of this row is in progress. */
  readonly waiting: Waiting | undefined;
  readonly personas: Listed<Persona>;
}

/** Members of an item from which all its other members are derived. */
const SOURCES = ['run', 'entry', 'pasted', 'title'] as const;
const MARKS = ['selected', 'tabStop', 'far', 'heading', 'waiting', 'personas'] as const;

/** One row of the list. It is redrawn only if its item has changed, because redrawing 1,000 rows took 0.2 s for each new ceremony. */
export class Row extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    const { props } = this;
    return SOURCES.some((name) => props.item[name] !== next.item[name]) || MARKS.some((name) => props[name] !== next[name]);
  }

  override render(): JSX.Element {
    return <Line {...this.props} />;
  }
}

function Line({ item, selected, tabStop, far, heading, waiting, personas }: RowProps): JSX.Element {
  const { store } = useApp();
  const { key, at, title, verdict, source, user, passkey, code, changed, software } = item;
  const { sign, tone } = VERDICTS[verdict];
  const word = describeVerdict(item);
  const open = (event: MouseEvent) => {
    // Of a key press, or where the ceremony is below the list.
    const leads = event.detail === 0 || matchMedia('(max-width: 599px)').matches;
    store.set({ selected: key, toFocus: leads ? 'subject' : undefined });
  };
  return (
    <li
      data-key={key}
      data-verdict={verdict}
      class={`item${far ? ' far' : ''}${selected ? ' selected' : ''}${waiting === undefined ? '' : ' waits'}`}
    >
      {heading !== undefined && <p class="fact divider">{heading}</p>}
      <button type="button" class="bare row" tabIndex={tabStop ? 0 : -1} aria-current={selected} onClick={open}>
        <span class={`toned sign ${tone}`} aria-hidden="true">
          {sign}
        </span>
        <span class="cut row-title">
          <b>
            <bdi>{title}</bdi>
          </b>{' '}
          {passkey !== undefined && !title.includes(passkey) && <bdi>{passkey}</bdi>}
        </span>
        <span class={`fact cut toned row-verdict ${tone}`}>
          {code === undefined || code === 'AbortError' ? word : <code title={word}>{code}</code>}
        </span>
        <span class="fact row-facts">
          <time>{formatClock(at)}</time>
          <span class="row-source">{source}</span>
          {user !== undefined && (
            <span class="row-user" dir="auto">
              {user}
            </span>
          )}
          {software !== undefined && <span class="row-software">{describeSoftware(software, personas)}</span>}
          {changed.length > 0 && (
            <span title={changed.join(', ')}>
              ≠ {changed.slice(0, 2).join(', ')}
              {changed.length > 2 && ` +${changed.length - 2}`}
            </span>
          )}
        </span>
      </button>
      {waiting !== undefined && <WaitingLine waiting={waiting} cancelId="cancel-button" />}
    </li>
  );
}

interface WaitingLineProps {
  readonly waiting: Waiting;
  readonly cancelId: string;
}

/** Line that shows which party a ceremony waits for, its elapsed and remaining time, and a button to cancel. */
export function WaitingLine({ waiting, cancelId }: WaitingLineProps): JSX.Element {
  const app = useApp();
  const { since, until, title } = waiting;
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    setNow(Date.now());
    const clock = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(clock);
  }, [since]);
  const { words, time } = waitingText(waiting, now);
  return (
    <p class="line waiting-line">
      <span class="cut" title={words}>
        {words}
      </span>
      <span class="mono" aria-hidden="true">
        {time}
      </span>
      {until !== undefined && <progress aria-hidden="true" max={until - since} value={Math.min(now - since, until - since)} />}
      <button id={cancelId} type="button" class="end" aria-label={`Cancel: ${title}`} onClick={() => app.runs.cancel()}>
        Cancel
      </button>
    </p>
  );
}
