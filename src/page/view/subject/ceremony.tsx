import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ExplainDocument, TreeDocument } from '../../../explain/document-schema.js';
import type { StreamDetail } from '../../../server/schemas/stream.js';
import { isPersona } from '../../catalogue.js';
import { treeToField } from '../../decode.js';
import { copyOrDownload } from '../../flow/share.js';
import { sendFromRun } from '../../flow/signals.js';
import { findDetail, findMaterial, type Item } from '../../items.js';
import { listAt, stringAt } from '../../json.js';
import { answererName, type BrowserError, findProblem } from '../../run.js';
import { useApp, useAppState } from '../../use-app.js';
import { VERDICTS } from '../../verdicts.js';
import { Bytes, publicKeyIn, useAnnotation } from '../bytes/bytes.js';
import { Tree } from '../bytes/tree.js';
import { WaitingLine } from '../row.js';
import { Share } from '../share.js';
import { SignalButton } from '../signal-button.js';
import { Marked, Pairs, Text } from '../text.js';
import { usePersonas } from '../use-personas.js';
import { Changed } from './changed.js';
import { Checklist, Findings } from './checklist.js';
import { CompareWith, Comparison } from './comparison.js';
import { Expectations } from './expectations.js';
import { awaitsExplanation, collectExpected, findBrowserError, findExplanation, findForeign } from './explanation.js';
import { listFacts } from './facts.js';
import { Legs } from './legs.js';
import { NextSteps } from './next-steps.js';
import { failedSlug, failedSteps } from './steps.js';
import { describeEnd, splitCode, verdictWord } from './verdict-text.js';

interface CeremonyProps {
  readonly item: Item;
  /** True if the item is the example. It does not belong to the user, who therefore can neither compare nor share it. */
  readonly example?: boolean;
}

/** One item in full: verdict, steps, bytes, messages. */
export function Ceremony({ item, example = false }: CeremonyProps): JSX.Element {
  const { key, entry, kind, verdict, pasted } = item;
  const known = useAppState((state) => (entry === undefined ? undefined : state.details.get(entry.id)));
  const details = useAppState((state) => state.details);
  const followed = useAppState((state) => state.live || state.stream.length > 0);
  const detail = findDetail(item, details);
  const explanation = findExplanation(item, detail);
  const { options, response } = findMaterial(item, details);
  const asked = useMemo(
    () => collectExpected(item, { options, response }, explanation, location),
    [item.run, item.entry, options, response, explanation],
  );
  const publicKey =
    kind === 'registration' || response === undefined || 'attestationObject' in response ? undefined : publicKeyIn(detail?.fixture);
  const annotated = useAnnotation({ response, publicKey, rpId: asked.rpId });
  const decoding = response !== undefined && annotated === undefined;
  return (
    <article class="stack ceremony" data-key={key} data-verdict={verdict} data-kind={kind} aria-labelledby={`${key}-heading`}>
      <Head item={item} detail={detail}>
        {!example && <CompareWith item={item} />}
        {!example && <Share item={item} />}
      </Head>
      <Comparison item={item} />
      {known?.status === 'failed' && <p class="hint">{known.why}</p>}
      <Unanswered item={item} detail={detail} />
      {pasted !== undefined && <Expectations pasted={pasted} />}
      <NextSteps item={item} />
      <Changed item={item} />
      <Checklist
        failed={failedSteps(item, explanation)}
        explanation={explanation}
        loading={awaitsExplanation(item, { followed, status: known?.status })}
      />
      {response !== undefined && annotated !== undefined && (
        <Bytes response={response} annotated={annotated} asked={asked} failed={failedSlug(item, explanation)} publicKey={publicKey} />
      )}
      {/* Below the bytes, and after them: neither must push the other. */}
      {explanation !== undefined && !decoding && <Findings explanation={explanation} />}
      {response === undefined && pasted !== undefined && pasted.document.tree !== null && <Contents tree={pasted.document.tree} />}
      <Legs item={item} detail={detail} />
    </article>
  );
}

/** View of pasted data that are not a response, such as options, a certificate or a key. */
function Contents({ tree }: { readonly tree: TreeDocument }): JSX.Element {
  const fields = useMemo(() => [treeToField(tree)], [tree]);
  return (
    <section class="card structure" aria-labelledby="contents-heading">
      <h3 id="contents-heading">What it holds</h3>
      <Tree fields={fields} label="What it holds" failed={NOTHING} />
    </section>
  );
}

const NOTHING: ReadonlySet<string> = new Set();

interface HeadProps {
  readonly item: Item;
  readonly detail: StreamDetail | undefined;
  /** Buttons for actions on the ceremony. */
  readonly children: ComponentChildren;
}

/** Maximum length in characters of a verdict that is shown next to the title. */
const SHORT = 30;

/** Heading of a ceremony: the verdict in large type, a sentence that describes the result, and the user, time and source. */
function Head({ item, detail, children }: HeadProps): JSX.Element {
  const { sign, tone } = VERDICTS[item.verdict];
  const { code, rest } = splitCode(describeEnd(item));
  const word = verdictWord(item, findForeign(item, detail));
  const waiting = useAppState((state) => state.waiting);
  const personas = usePersonas(isPersona(item.software?.persona));
  const listShown = useAppState((state) => state.list === 'ceremonies');
  const here = waiting !== undefined && waiting.run === item.run?.id && !listShown;
  return (
    <header class={`card stack ceremony-head ${tone}`}>
      <div class="line verdict-line">
        <span class="verdict-sign" aria-hidden="true">
          {sign}
        </span>
        <div class="verdict-text">
          <h2 id={`${item.key}-heading`} class="words" tabIndex={-1}>
            <span class={word.length > SHORT ? 'verdict-word long' : 'verdict-word'}>
              <Marked text={word} />
            </span>{' '}
            <span>
              <Text text={item.title} />
            </span>
          </h2>
          <p class="run-summary">
            {code !== undefined && <Code code={code} />}
            <Text text={rest} most={600} />
          </p>
        </div>
        <div class="line ceremony-actions">{children}</div>
      </div>
      {here && <WaitingLine waiting={waiting} cancelId="cancel-here" />}
      <dl class="facts">
        {listFacts(item, detail, personas).map(({ name, value, mono, own, tone: factTone }) => (
          <div key={name} class={factTone ?? ''}>
            <dt class="fact">{name}</dt>
            <dd class={mono === true ? 'mono' : ''}>{own === true ? value : <Text text={value} />}</dd>
          </div>
        ))}
      </dl>
    </header>
  );
}

/**
 * Error code of a refusal, linked to the documentation of its causes. Browser exceptions have no link, because the page explains them
 * itself.
 */
function Code({ code }: { readonly code: string }): JSX.Element {
  const shown = <code>{code}:</code>;
  const [, name] = /^(?:\d{3} )?([a-z_]+)$/.exec(code) ?? [];
  if (name === undefined) return shown;
  return (
    <a href={`/docs/errors#${name}`} target="_blank" rel="noreferrer" title="Causes and fixes">
      {shown}
    </a>
  );
}

/** Explains why the server received no response or did not check it: the browser's error, or a refusal before the first step. */
function Unanswered({ item, detail }: { readonly item: Item; readonly detail: StreamDetail | undefined }): JSX.Element {
  const app = useApp();
  const { run } = item;
  const foreign = item.entry?.foreign;
  const error = findBrowserError(item, detail);
  const { server = null, known_errors: known = [] } = findForeign(item, detail) ?? {};
  return (
    <>
      {error !== undefined && error.name !== 'AbortError' && (
        <Explained error={error} by={answererName(item.software)} mild={item.verdict === 'cancelled'} />
      )}
      {server !== null && <Answer server={server} />}
      {known.map((explanation) => (
        <Explained key={explanation.title} error={{ name: '', message: '', explanation }} by={explanation.from} mild={false} />
      ))}
      <Problem item={item} />
      {typeof foreign?.command === 'string' && <AllowOrigin command={foreign.command} />}
      {item.verdict === 'refused' && foreign === undefined && (
        <p class="hint">The server refused the request itself: it belongs to no ceremony.</p>
      )}
      {item.verdict === 'unanswered' && (
        <div class="stack note warn explanation">
          <p>The server did not answer: nothing has been decided.</p>
          <b>
            Start it again with <code>passkey serve</code>, then repeat the ceremony: a challenge does not outlive its server.
          </b>
        </div>
      )}
      {run?.offer !== undefined && (
        <SignalButton
          offer={run.offer}
          id={`run-${run.id}-signal`}
          onClick={() => run.offer && void sendFromRun(app, run.id, run.offer)}
          outcome={run.legs.findLast((leg) => leg.kind === 'signal')?.outcome}
        />
      )}
    </>
  );
}

/** Recorded server response of a pasted ceremony. */
function Answer({
  server: { status, verdict, message, body },
}: {
  readonly server: NonNullable<ExplainDocument['server']>;
}): JSX.Element | null {
  const said = message ?? body;
  if (said === '') return null;
  return (
    <p class={`note ${verdict === 'accepted' ? 'good' : 'bad'}`}>
      Your server answered {status}: <Text text={said} most={600} />
    </p>
  );
}

/** Shows the command that makes the server accept requests from a page of another origin. */
function AllowOrigin({ command }: { readonly command: string }): JSX.Element {
  const app = useApp();
  return (
    <p class="line note warn explanation">
      <code>{command}</code>
      <button type="button" onClick={() => void copyOrDownload(app, 'a command', 'command.txt', command)}>
        Copy the command
      </button>
    </p>
  );
}

interface ExplainedProps {
  readonly error: BrowserError;
  /** Party that gave no response, e.g. the browser. */
  readonly by: string;
  readonly mild: boolean;
}

function Explained({ error, by, mild }: ExplainedProps): JSX.Element {
  const { message, explanation } = error;
  const { causes, next } = explanation;
  return (
    <section class={mild ? 'stack note explanation' : 'stack note warn explanation'} aria-label={`The ${by}’s error, explained`}>
      {message !== '' && !causes.some((cause) => message.endsWith(cause)) && (
        <p>
          The {by} says: <q>{message}</q>
        </p>
      )}
      <p>{causes.length === 1 ? 'Cause:' : 'Likely causes, most likely first:'}</p>
      <ol class="stack">
        {causes.map((cause) => (
          <li key={cause}>
            <Marked text={cause} />
          </li>
        ))}
      </ol>
      <b>
        <Marked text={next} />
      </b>
    </section>
  );
}

/** Problem document of a refusal that names no step. Shown only if the sentence in the heading does not contain its message. */
function Problem({ item }: { readonly item: Item }): JSX.Element | null {
  const { run } = item;
  const problem = run === undefined ? undefined : findProblem(run);
  const detail = stringAt(problem, 'detail');
  const isShown = detail === undefined || run?.summary.includes(detail) === true || problem?.['step'] !== undefined;
  const errors = listAt(problem, 'errors');
  if (isShown && errors.length === 0) return null;
  const pairs = [
    { name: 'Detail', value: isShown ? undefined : detail },
    ...errors.map((error) => ({ name: stringAt(error, 'pointer') ?? '', value: stringAt(error, 'detail') })),
  ];
  return <Pairs pairs={pairs} class="card padded" />;
}
