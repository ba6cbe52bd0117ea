import type { JSX } from 'preact';
import type { StreamDetail } from '../../../server/schemas/stream.js';
import { sendFromRun } from '../../flow/signals.js';
import type { Item } from '../../items.js';
import { getPath, stringAt } from '../../json.js';
import type { BrowserError, Run } from '../../run.js';
import { answererName, problemOf } from '../../run.js';
import { useApp } from '../../use-app.js';
import { SignalButton } from '../signal-button.js';
import { Text } from '../text.js';
import { browserErrorOf } from './told.js';

/** Why the server saw no answer, or did not look at it: the browser's error, or a refusal before any step. */
export function Unanswered({ item, detail }: { readonly item: Item; readonly detail: StreamDetail | undefined }): JSX.Element {
  const error = browserErrorOf(item, detail);
  return (
    <>
      {error !== undefined && error.name !== 'AbortError' && (
        <Explained error={error} by={answererName(item.software)} mild={item.verdict === 'cancelled'} />
      )}
      <Problem item={item} />
      {item.kind === 'request' && <p class="hint">The server refused the request itself: it belongs to no ceremony.</p>}
      {item.verdict === 'unanswered' && (
        <div class="explanation">
          <p>The server did not answer: nothing has been decided.</p>
          <p class="next">
            Start it again with <code>passkey serve</code>, then repeat the ceremony: a challenge does not outlive its server.
          </p>
        </div>
      )}
      {item.run?.offer !== undefined && <Offer run={item.run} offer={item.run.offer} />}
    </>
  );
}

interface ExplainedProps {
  readonly error: BrowserError;
  /** Who gave no answer. */
  readonly by: string;
  readonly mild: boolean;
}

function Explained({ error, by, mild }: ExplainedProps): JSX.Element {
  const { message, explanation } = error;
  const { causes, next } = explanation;
  return (
    <section class={mild ? 'explanation mild' : 'explanation'} aria-label={`The ${by}’s error, explained`}>
      {message !== '' && !causes.some((cause) => message.endsWith(cause)) && (
        <p class="said">
          The {by} says: <q>{message}</q>
        </p>
      )}
      <p>{causes.length === 1 ? 'Cause:' : 'Likely causes, most likely first:'}</p>
      <ol>
        {causes.map((cause) => (
          <li key={cause}>{cause}</li>
        ))}
      </ol>
      <p class="next">{next}</p>
    </section>
  );
}

/** A refusal without a step: what the problem document says, where the sentence in the head leaves it out. */
function Problem({ item }: { readonly item: Item }): JSX.Element | null {
  const { run } = item;
  const problem = run === undefined ? undefined : problemOf(run);
  const detail = stringAt(problem, 'detail');
  const errors = getPath(problem, ['errors']);
  const told = detail === undefined || run?.summary.includes(detail) === true || problem?.['step'] !== undefined;
  if (told && !Array.isArray(errors)) return null;
  return (
    <dl class="problem">
      {!told && (
        <div>
          <dt>Detail</dt>
          <dd>
            <Text text={detail} most={600} />
          </dd>
        </div>
      )}
      {(Array.isArray(errors) ? errors : []).map((error, index) => (
        <div key={index}>
          <dt class="mono">{stringAt(error, 'pointer')}</dt>
          <dd>{stringAt(error, 'detail')}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The signal that the run offers, and what came of it. */
function Offer({ run, offer }: { readonly run: Run; readonly offer: NonNullable<Run['offer']> }): JSX.Element {
  const app = useApp();
  const last = run.legs.findLast((leg) => leg.kind === 'signal');
  return (
    <SignalButton offer={offer} id={`run-${run.id}-signal`} onClick={() => void sendFromRun(app, run.id, offer)} outcome={last?.outcome} />
  );
}
