import type { ComponentChildren, JSX } from 'preact';
import type { StreamDetail } from '../../../server/schemas/stream.js';
import type { Item } from '../../items.js';
import { useAppState } from '../../use-app.js';
import { VERDICTS } from '../../verdicts.js';
import { Marked } from '../hint.js';
import { WaitingLine } from '../list/waiting-line.js';
import { factsOf, sentenceOf, splitCode, verdictWord } from './told.js';

interface HeadProps {
  readonly item: Item;
  readonly detail: StreamDetail | undefined;
  /** What can be done with it. */
  readonly children: ComponentChildren;
}

/** The verdict in large, in one sentence, and who, when and from where. */
export function Head({ item, detail, children }: HeadProps): JSX.Element {
  const { sign, tone } = VERDICTS[item.verdict];
  const { code, rest } = splitCode(sentenceOf(item));
  const waiting = useAppState((state) => state.waiting);
  const listShown = useAppState((state) => state.list === 'ceremonies');
  const here = waiting !== undefined && waiting.run === item.run?.id && !listShown;
  return (
    <header class={`ceremony-head ${tone}`}>
      <div class="verdict-line">
        <span class="verdict-sign" aria-hidden="true">
          {sign}
        </span>
        <div class="verdict-text">
          <h2 id={`${item.key}-heading`} tabIndex={-1}>
            <span class="verdict-word">{verdictWord(item)}</span> <span class="verdict-title">{item.title}</span>
          </h2>
          <p class="run-summary">
            {code !== undefined && <code>{code}:</code>}
            <Marked text={rest} />
          </p>
        </div>
        <div class="ceremony-actions">{children}</div>
      </div>
      {here && <WaitingLine waiting={waiting} cancelId="cancel-here" />}
      <dl class="facts">
        {factsOf(item, detail).map(({ name, value, mono, tone: factTone }) => (
          <div key={name} class={factTone ?? ''}>
            <dt>{name}</dt>
            <dd class={mono === true ? 'mono' : ''}>{value}</dd>
          </div>
        ))}
      </dl>
    </header>
  );
}
