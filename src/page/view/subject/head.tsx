import type { ComponentChildren, JSX } from 'preact';
import type { StreamDetail } from '../../../server/schemas/stream.js';
import { isPersona } from '../../catalogue.js';
import type { Item } from '../../items.js';
import { useAppState } from '../../use-app.js';
import { VERDICTS } from '../../verdicts.js';
import { WaitingLine } from '../list/waiting-line.js';
import { Text } from '../text.js';
import { usePersonas } from '../use-personas.js';
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
  const personas = usePersonas(isPersona(item.software?.persona));
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
            <span class="verdict-word">{verdictWord(item)}</span>{' '}
            <span class="verdict-title">
              <Text text={item.title} />
            </span>
          </h2>
          <p class="run-summary">
            {code !== undefined && <code>{code}:</code>}
            <Text text={rest} most={600} />
          </p>
        </div>
        <div class="ceremony-actions">{children}</div>
      </div>
      {here && <WaitingLine waiting={waiting} cancelId="cancel-here" />}
      <dl class="facts">
        {factsOf(item, detail, personas).map(({ name, value, mono, tone: factTone }) => (
          <div key={name} class={factTone ?? ''}>
            <dt>{name}</dt>
            <dd class={mono === true ? 'mono' : ''}>
              <Text text={value} />
            </dd>
          </div>
        ))}
      </dl>
    </header>
  );
}
