import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { StreamDetail } from '../../../server/schemas/stream.js';
import type { Item } from '../../items.js';
import { answererName, type BrowserLeg, type HttpLeg, type Leg, type SignalLeg, succeeded } from '../../run.js';
import { shownText } from '../../shown-text.js';
import { formatDuration } from '../time.js';

/** Shows the requests and the browser call of this tab, or, for a ceremony of another tab or program, the server's record. */
export function Legs({ item, detail }: { readonly item: Item; readonly detail: StreamDetail | undefined }): JSX.Element | null {
  const { run, pasted } = item;
  const kept = run === undefined ? (pasted ?? detail) : undefined;
  if (run === undefined && !kept?.options && !kept?.response) return null;
  return (
    <section class="stack section" aria-labelledby="messages-heading">
      <h3 id="messages-heading">Messages</h3>
      {run === undefined ? (
        <>
          {kept?.options && <JsonPart title="Options" value={kept.options} />}
          {kept?.response && <JsonPart title="Response, as JSON" value={kept.response} />}
        </>
      ) : (
        <>
          <TimingBar legs={run.legs} />
          <ol class="stack">
            {run.legs.map((leg, index) => (
              <li key={index} class="card padded leg">
                <LegView leg={leg} />
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

function LegView({ leg }: { readonly leg: Leg }): JSX.Element {
  switch (leg.kind) {
    case 'http':
      return <HttpView leg={leg} />;
    case 'browser':
      return <BrowserView leg={leg} />;
    case 'signal':
      return <SignalView leg={leg} />;
  }
}

function HttpView({ leg }: { readonly leg: HttpLeg }): JSX.Element {
  const { method, path, status, failure, body, answer, milliseconds } = leg;
  return (
    <>
      <Heading
        name={`${method} ${path}`}
        tone={succeeded(leg) ? 'good' : status === undefined ? 'warn' : 'bad'}
        milliseconds={milliseconds}
      >
        {status ?? 'no answer'}
      </Heading>
      {failure !== undefined && <p class="hint">{failure}</p>}
      {body !== undefined && <JsonPart title="Request" value={body} />}
      {failure === undefined && <JsonPart title="Answer" value={answer} />}
    </>
  );
}

function BrowserView({ leg }: { readonly leg: BrowserLeg }): JSX.Element {
  const { call, mediation, options, response, error, milliseconds, software } = leg;
  return (
    <>
      <Heading
        name={software?.persona === undefined ? `navigator.credentials.${call}()` : `software authenticator, ${call}`}
        tone={error === undefined ? 'good' : error.name === 'AbortError' ? 'plain' : 'warn'}
        milliseconds={milliseconds}
      >
        {error?.name ?? 'answered'}
      </Heading>
      {mediation !== undefined && <p class="hint">mediation: {mediation}</p>}
      <JsonPart title="Options" value={options} />
      {error !== undefined && (
        <p class="hint">
          The {answererName(software)}’s message: {error.message || 'none'}
        </p>
      )}
      {response !== undefined && <JsonPart title="Response, as JSON" value={response} />}
    </>
  );
}

const SIGNAL_TONES = { sent: 'good', failed: 'bad', 'not supported': 'plain' } as const;

function SignalView({ leg }: { readonly leg: SignalLeg }): JSX.Element {
  const { method, outcome, detail, options } = leg;
  return (
    <>
      <Heading name={`PublicKeyCredential.${method}()`} tone={SIGNAL_TONES[outcome]} milliseconds={undefined}>
        {outcome}
      </Heading>
      {detail !== undefined && <p class="hint">{detail}</p>}
      <JsonPart title="Options" value={options} />
    </>
  );
}

interface HeadingProps {
  readonly name: string;
  readonly tone: 'good' | 'bad' | 'warn' | 'plain';
  readonly milliseconds: number | undefined;
  readonly children: ComponentChildren;
}

function Heading({ name, tone, milliseconds, children }: HeadingProps): JSX.Element {
  return (
    <p class="line">
      <b>
        <code>{name}</code>
      </b>{' '}
      <span class={`badge ${tone}`}>{children}</span>
      {milliseconds !== undefined && <span class="end muted mono">{formatDuration(milliseconds)}</span>}
    </p>
  );
}

/** Collapsible JSON that stays open or closed when the ceremony is drawn again. The JSON itself is drawn only once it is opened. */
function JsonPart({ title, value }: { readonly title: string; readonly value: unknown }): JSX.Element {
  const [opened, setOpened] = useState(false);
  return (
    <details class="part" onToggle={({ currentTarget }) => setOpened(opened || currentTarget.open)}>
      <summary>{title}</summary>
      {opened && <JsonView value={value} />}
    </details>
  );
}

/** Bar that shows how long each request or browser call took. The exact numbers are in the list below. */
function TimingBar({ legs }: { readonly legs: readonly Leg[] }): JSX.Element | null {
  const timed = legs.filter((leg) => leg.kind !== 'signal');
  if (timed.length < 2) return null;
  return (
    <div class="timing" aria-hidden="true">
      {timed.map((leg, index) => (
        <span
          key={index}
          class={leg.kind}
          title={`${leg.kind === 'http' ? leg.path : leg.call} ${formatDuration(leg.milliseconds)}`}
          style={{ flexGrow: Math.max(1, leg.milliseconds) }}
        />
      ))}
    </div>
  );
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** JSON with syntax colours. */
function JsonView({ value }: { readonly value: unknown }): JSX.Element {
  if (value === undefined) return <p class="hint">No body.</p>;
  // Invisible characters as JSON escapes them.
  const text = shownText(typeof value === 'string' ? value : JSON.stringify(value, null, 2), '\\u', '');
  const parts: (JSX.Element | string)[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, string, colon] = match;
    const kind = string === undefined ? 'warn' : colon === undefined ? 'good' : 'accent';
    parts.push(text.slice(end, match.index), <span class={kind}>{string ?? whole}</span>, colon ?? '');
    end = match.index + whole.length;
  }
  parts.push(text.slice(end));
  return (
    <pre class="json" tabIndex={0} role="group" aria-label="JSON">
      <code>{parts}</code>
    </pre>
  );
}
