import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ExplainDocument } from '../../../explain/document-schema.js';
import { SECTION_ANCHORS } from '../../../webauthn/enumerations.js';
import { shownText } from '../../shown-text.js';
import { Pairs, Text } from '../text.js';
import { type FailedStep, libraryLine, type Step, tally } from './steps.js';

const SIGNS = { pass: '✓', fail: '✗', skip: '·', warn: '!', open: '?' } as const;
const TONES = { pass: 'good', fail: 'bad', skip: 'plain', warn: 'warn', open: 'warn' } as const;
const SAID = { pass: 'passes', fail: 'fails', skip: 'skipped', warn: 'warning', open: 'open' } as const;

const standing = ({ status, open }: Step): keyof typeof SIGNS => (open ? 'open' : status);

interface ChecklistProps {
  readonly failed: readonly FailedStep[];
  readonly explanation: ExplainDocument | undefined;
  /** True while the explanation is loading. The checklist then leaves space for it. */
  readonly loading: boolean;
}

/** Steps of the standard's procedure (WebAuthn L3 §7.1, §7.2), next to the verdict of the verification library. */
export function Checklist({ failed, explanation, loading }: ChecklistProps): JSX.Element | null {
  const [open, setOpen] = useState(false);
  const steps = explanation?.steps ?? [];
  // The first decides; those after it often fail because of it.
  const [first, ...further] = failed;
  const undecided = failed.length > 0 ? [] : steps.filter((step) => step.open);
  const worst = failed.length > 0 ? 'fail' : undecided.length > 0 ? 'open' : 'pass';
  if (steps.length === 0 && failed.length === 0 && !loading) return null;
  return (
    <section class="stack section checklist" aria-labelledby="checklist-heading">
      <h3 id="checklist-heading" class="unseen">
        Steps
      </h3>
      {steps.length > 0 ? (
        <button type="button" class="card padded wrap steps-line" aria-expanded={open} onClick={() => setOpen(!open)}>
          <span class={`toned tick ${TONES[worst]}`} aria-hidden="true">
            {SIGNS[worst]}
          </span>
          <span>
            <b>{tally(steps)}</b> <i>{open ? 'hide' : 'show'}</i>
          </span>
          <Meter steps={steps} />
        </button>
      ) : (
        loading && <p class="card line padded steps-line hint">Checking the steps…</p>
      )}
      {first !== undefined && <FailedCard step={first} />}
      {further.map((step) => (
        <details key={step.number} class="part">
          <summary>
            Step {step.number} fails too: {step.title}
          </summary>
          <div class="padded">
            <FailedFacts step={step} />
          </div>
        </details>
      ))}
      {undecided.length > 0 && (
        <ul class="stack note fine warn open-steps">
          {undecided.map(({ number, title, reason }) => (
            <li key={number}>
              Step {number} is open: {title}.{' '}
              <b>
                <Text text={reason ?? ''} most={300} />
              </b>
            </li>
          ))}
        </ul>
      )}
      {explanation === undefined ? loading && <p class="words hint library">…</p> : <Library explanation={explanation} />}
      {open && (
        <ol class="card steps">
          {steps.map((step) => (
            <StepLine key={`${step.section}-${step.number}`} step={step} />
          ))}
        </ol>
      )}
    </section>
  );
}

/** Bar that shows the results of all steps at a glance. The list of steps below gives the same results in words. */
function Meter({ steps }: { readonly steps: readonly Step[] }): JSX.Element {
  return (
    <span class="meter" aria-hidden="true">
      {steps.map((step) => (
        <span key={step.number} class={TONES[standing(step)]} title={`${step.number} ${step.title}`} />
      ))}
    </span>
  );
}

function FailedCard({ step }: { readonly step: FailedStep }): JSX.Element {
  return (
    <div class="note bad step">
      <h4 class="words">
        <span class="toned tick bad" aria-hidden="true">
          {SIGNS.fail}
        </span>{' '}
        {step.title} <SectionLink step={step} />
      </h4>
      <FailedFacts step={step} />
    </div>
  );
}

function FailedFacts({ step: { expected, received, hint } }: { readonly step: FailedStep }): JSX.Element {
  const pairs = [
    { name: 'Expected', value: expected, mono: true },
    { name: 'Received', value: received, mono: true },
    { name: 'What to do', value: hint },
  ];
  return <Pairs pairs={pairs} />;
}

function SectionLink({ step: { section, number } }: { readonly step: Pick<Step, 'section' | 'number'> }): JSX.Element {
  return (
    <a class="mono" href={SECTION_ANCHORS[section]} target="_blank" rel="noreferrer">
      §{section} step {number}
    </a>
  );
}

interface LineProps {
  readonly status: keyof typeof SIGNS;
  /** Number of the step, rendered as a link to the standard. */
  readonly number?: JSX.Element;
  readonly found: string | null;
  readonly children: ComponentChildren;
}

/** Line that shows one step of the procedure, or one check of an attestation statement. */
function Line({ status, number, found, children }: LineProps): JSX.Element {
  return (
    <li class={`step-line ${TONES[status]} ${number === undefined ? 'check-line' : ''}`}>
      <span class="tick" aria-hidden="true">
        {SIGNS[status]}
      </span>
      {number}
      <span>
        <span class="unseen">{SAID[status]}: </span>
        {children}
      </span>
      <span
        class={(status === 'skip' || status === 'open') && number !== undefined ? 'fact cut step-found' : 'fact cut step-found mono'}
        title={found ?? undefined}
      >
        {found}
      </span>
    </li>
  );
}

function StepLine({ step }: { readonly step: Step }): JSX.Element {
  const { number, section, title, received, reason } = step;
  const link = (
    <a
      class="mono"
      href={SECTION_ANCHORS[section]}
      target="_blank"
      rel="noreferrer"
      aria-label={`§${section} step ${number} in the standard`}
    >
      {number}
    </a>
  );
  return (
    <Line status={standing(step)} number={link} found={received ?? reason}>
      {title}
    </Line>
  );
}

function Library({ explanation }: { readonly explanation: ExplainDocument }): JSX.Element | null {
  const line = libraryLine(explanation);
  if (line === undefined) return null;
  return (
    <p class={line.differs ? 'words note fine warn library' : 'words hint library'}>
      {line.text}
      {explanation.difference !== null && <strong> {explanation.difference}</strong>}
    </p>
  );
}

/** Shows the checks of the attestation statement (§8), other remarks, and the encodings of the input. */
export function Findings({ explanation }: { readonly explanation: ExplainDocument }): JSX.Element | null {
  const { attestation, observations, encoding, advice } = explanation;
  const notes = [
    ...observations.map(({ slug, message }) => ({ key: slug, where: undefined, message, tone: 'plain' })),
    ...encoding.map(({ pointer, message }) => ({ key: `encoding ${pointer}`, where: pointer, message, tone: 'warn' })),
    ...advice.map(({ pointer, message, severity }) => ({
      key: `advice ${pointer} ${message}`,
      where: pointer,
      message,
      tone: severity === 'error' ? 'bad' : severity === 'warning' ? 'warn' : 'plain',
    })),
  ];
  return (
    <>
      {notes.length > 0 && (
        <section class="stack section observations" aria-labelledby="observations-heading">
          <h3 id="observations-heading">Worth knowing</h3>
          <ul class="stack">
            {notes.map(({ key, where, message, tone }) => (
              <li key={key} class={tone}>
                {where !== undefined && <code>{where}</code>} {shownText(message)}
              </li>
            ))}
          </ul>
        </section>
      )}
      {attestation !== null && <Attestation attestation={attestation} />}
    </>
  );
}

const VERDICT_TONES = { accepted: 'good', rejected: 'bad', undetermined: 'plain' } as const;

function Attestation({ attestation }: { readonly attestation: NonNullable<ExplainDocument['attestation']> }): JSX.Element {
  const { format, type, verdict, trust, checks } = attestation;
  const lasting = checks.filter(({ status }) => status === 'fail' || status === 'warn');
  const others = checks.filter((check) => !lasting.includes(check));
  return (
    <section class="stack section" aria-labelledby="attestation-heading">
      <h3 id="attestation-heading">
        Attestation <code>{format}</code>
      </h3>
      <p class="line">
        <span class={`badge ${VERDICT_TONES[verdict]}`}>{verdict}</span> type {type}, trust {trust.replace('-', ' ')}
      </p>
      {lasting.length > 0 && <Checks checks={lasting} />}
      {others.length > 0 && (
        <details class="part">
          <summary>{tally(others, 'check')}</summary>
          <Checks checks={others} />
        </details>
      )}
    </section>
  );
}

type Check = NonNullable<ExplainDocument['attestation']>['checks'][number];

function Checks({ checks }: { readonly checks: readonly Check[] }): JSX.Element {
  return (
    <ol class="card steps">
      {checks.map(({ slug, reference, status, expected, received, hint }) => (
        <Line key={slug} status={status} found={shownText(received)}>
          {expected} <span class="fact mono">{reference}</span>
          {hint !== null && status !== 'pass' && <b> {hint}</b>}
        </Line>
      ))}
    </ol>
  );
}
