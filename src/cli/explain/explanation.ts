import { PasskeyError } from '../../errors.js';
import { KIND_NAMES } from '../../explain/annotate/kinds.js';
import type { AnnotatedNode } from '../../explain/annotate/node.js';
import type { KnownError } from '../../explain/document-schema.js';
import type { Explained, ExplainedCeremony } from '../../explain/explain.js';
import type { CeremonyReport } from '../../explain/report/report.js';
import { agreesWith, isRefusal } from '../../explain/server-answer.js';
import type { UnansweredCall } from '../../explain/unanswered.js';
import { clause } from '../../kernel/wording.js';
import { STEP_REVISION, type StepReport } from '../../relying-party/steps/step.js';
import { SECTION_ANCHORS } from '../../webauthn/enumerations.js';
import { printable } from '../output/printable.js';
import { labelled, type Paint, wrap } from '../output/wrap.js';

interface Style {
  readonly width: number;
  readonly paint: Paint;
}

/**
 * Renders the explanation of one input: the headline of its worst ceremony, the tree of its bytes, and then each ceremony with its steps,
 * the worst ceremony last. Each ceremony ends with verdict, cause and remedy. Yields the text in parts, since a tree may have many lines.
 *
 * @param isBrief whether to leave out the tree and the steps that decide nothing.
 */
export function* renderExplanation(explained: Explained, isBrief: boolean, style: Style): Generator<string> {
  const { recognised, tree, ceremonies, unanswered, advice, knownErrors } = explained;
  const blocks = [
    ...unanswered.map((call) => ({ grade: 1, headline: call.headline, text: renderCall(call, style) })),
    ...ceremonies.map((ceremony) => ({
      grade: gradeCeremony(ceremony),
      headline: ceremony.headline,
      text: renderCeremony(ceremony, isBrief, style),
    })),
  ].toSorted((one, other) => other.grade - one.grade);
  const worst = blocks.at(-1);
  // In one line, however long: it is what scripts and issues quote.
  if (worst !== undefined) yield `${gradeColour(worst.grade, style)(printable(worst.headline))}\n${isBrief ? '' : '\n'}`;
  // The tree of an error text is the text.
  if (!isBrief && recognised.kind !== 'error-text') {
    const read = recognised.encodings.length === 0 ? 'bytes' : recognised.encodings.join(' of ');
    yield `${style.paint.dim(`byte+length  read as ${read}`)}\n`;
    if (tree) for (const line of treeLines(tree, style)) yield `${line}\n`;
  }
  for (const { text } of blocks) yield `\n${text}\n`;
  if (advice.length > 0) yield `\n${style.paint.bold('Advice')}\n${renderAdvice(advice, style)}\n`;
  if (knownErrors.length > 0) yield `${knownErrors.map((known) => renderKnownError(known, style).join('\n')).join('\n\n')}\n`;
}

/** Grades the result of a ceremony from 0 (refused by its server) to 4 (accepted). */
function gradeCeremony({ answer, outcome }: ExplainedCeremony): number {
  if (answer !== undefined && isRefusal(answer)) return 0;
  if (outcome instanceof PasskeyError || outcome.verdict === 'rejected') return 1;
  return outcome.verdict === 'accepted' ? 4 : answer?.verdict === 'accepted' ? 3 : 2;
}

function gradeColour(grade: number, { paint }: Style): (text: string) => string {
  return [paint.red, paint.red, paint.yellow, paint.yellow, paint.green][grade] ?? paint.bold;
}

/** Renders what the server replied, and whether the reply agrees with the verdict of the steps. */
function renderAnswer({ answer, outcome }: ExplainedCeremony, style: Style): string[] {
  if (answer === undefined) return [];
  const { paint } = style;
  const row = (label: string, text: string) => labelled(label, printable(text), { ...style, indent: 9 });
  const agrees = agreesWith(answer, outcome);
  const colour = agrees === false ? paint.red : agrees === true ? paint.dim : paint.yellow;
  const ours = outcome instanceof PasskeyError ? `rejected: ${clause(outcome.message)}` : summarise(outcome);
  const comparison = agrees === undefined ? '' : agrees ? ' They agree.' : ' They disagree.';
  const status = answer.status === null ? '' : ` (${answer.status})`;
  return [
    colour(row('Server', `${SERVER_VERDICTS[answer.verdict]}${status} ${answer.body}`.trim())),
    colour(row('Steps', `${ours}.${comparison}`)),
  ];
}

const SERVER_VERDICTS = {
  accepted: 'accepted',
  refused: 'refused',
  failed: 'failed',
  unknown: 'does not say whether it accepted',
} as const;

function summarise({ verdict, failed, steps }: CeremonyReport): string {
  if (failed !== undefined) return `rejected at §${failed.section} step ${failed.number} (${failed.slug})`;
  const open = steps.filter((step) => step.status === 'skip' && step.open === true).map(({ slug }) => slug);
  return verdict === 'undecided' && open.length > 0 ? `undecided, without an expectation for ${open.join(', ')}` : verdict;
}

/** Renders a known error message: what it means, what it is about, and the flags with which the step in question can run. */
function renderKnownError({ from, title, causes, next, step, expectations }: KnownError, { width, paint }: Style): string[] {
  const row = (label: string, text: string) => labelled(label, printable(text), { width, indent: 9 });
  return [
    row('Means', `${title} (${[from, step].filter(Boolean).join(', ')}).`),
    ...causes.map((cause, index) => row(index === 0 ? 'Causes' : '', cause)),
    ...(expectations.length === 0 ? [] : [row('Try', expectations.map(({ flag }) => flag).join(' '))]),
    ...(next === '' ? [] : [paint.yellow(row('Fix', next))]),
  ];
}

/** Renders a call that got no response. There are no steps to show for it. */
function renderCall({ name, headline, reasons }: UnansweredCall, style: Style): string {
  const verdict = style.paint.red(labelled('Verdict', printable(headline), { ...style, indent: 9 }));
  // The worst is nearest to the end.
  return [style.paint.bold(printable(name)), verdict, ...reasons.toReversed().flatMap((reason) => renderKnownError(reason, style))].join(
    '\n',
  );
}

function renderCeremony(ceremony: ExplainedCeremony, isBrief: boolean, style: Style): string {
  const { name, kind, outcome } = ceremony;
  const heading = style.paint.bold(printable(name?.startsWith(kind) ? name : [kind, name].filter(Boolean).join(': ')));
  if (outcome instanceof PasskeyError) return [heading, ...renderEnd(ceremony, style)].join('\n');
  const steps = renderSteps(outcome.steps, isBrief, style);
  const end = [...renderRemarks(outcome, style), ...renderEnd(ceremony, style)].join('\n');
  return isBrief ? [heading, ...steps, end].join('\n') : [heading, steps.join('\n'), end].join('\n\n');
}

/** Renders the steps of a ceremony. If brief, renders only the steps that failed or are open. */
function renderSteps(steps: readonly StepReport[], isBrief: boolean, style: Style): string[] {
  const shown = isBrief ? steps.filter((step) => step.status === 'fail' || (step.status === 'skip' && step.open === true)) : steps;
  const [first] = shown;
  const heading = first === undefined || isBrief ? [] : [`§${first.section}, ${STEP_REVISION}`, SECTION_ANCHORS[first.section]];
  return [...heading.map(style.paint.dim), ...shown.map((step) => renderStep(step, style))];
}

const TEXT_AT = 5;

function renderStep(step: StepReport, { width, paint }: Style): string {
  const number = String(step.number).padStart(2);
  switch (step.status) {
    case 'pass':
      return `${paint.green('✓')} ${number} ${step.title}`;
    case 'skip':
      return paint.dim(labelled(`· ${number}`, `${step.title}: ${printable(step.reason)}`, { width, indent: TEXT_AT }));
    case 'fail': {
      const row = (label: string, text: string) => labelled(`${' '.repeat(TEXT_AT)}${label}`, printable(text), { width, indent: 15 });
      return [
        paint.red(`✗ ${number} ${step.failure} (${step.slug})`),
        row('expected', step.expected),
        row('received', step.received),
        paint.yellow(row('fix', step.hint)),
      ].join('\n');
    }
  }
}

/** Renders remarks on a ceremony, which have no effect on the verdict. */
function renderRemarks(report: CeremonyReport, style: Style): string[] {
  const { failed, library, difference, attestation, observations, encoding } = report;
  const row = (label: string, text: string) => labelled(label, printable(text), { ...style, indent: 9 });
  const warnings = (attestation?.checks ?? []).filter(({ status }) => status === 'warn');
  return [
    row(
      'Library',
      library.verdict === 'not-asked'
        ? `not run: ${library.reason ?? 'a value that it needs was not given'}`
        : [library.verdict, library.reason].filter(Boolean).join(': '),
    ),
    ...(difference === undefined ? [] : [row('Differs', difference)]),
    ...encoding.filter(({ message }) => message !== failed?.hint).map(({ message }) => style.paint.yellow(row('Mind', message))),
    ...warnings.map(({ expected, received, reference }) =>
      row('Mind', `attestation: expected ${expected} (${reference}); received ${received}`),
    ),
    ...observations.map(({ message }) => row('Note', message)),
  ];
}

/** Renders the end of a ceremony: verdict, causes and remedy, in this order. */
function renderEnd(ceremony: ExplainedCeremony, style: Style): string[] {
  const { outcome, answer, headline, knownErrors } = ceremony;
  const row = (label: string, text: string) => labelled(label, printable(text), { ...style, indent: 9 });
  const failed = outcome instanceof PasskeyError ? undefined : outcome.failed;
  const verdict = answer === undefined && !(outcome instanceof PasskeyError) ? verdictText(outcome) : headline;
  return [
    ...renderAnswer(ceremony, style),
    gradeColour(gradeCeremony(ceremony), style)(row('Verdict', verdict)),
    ...(failed === undefined ? [] : [row('More', `http://localhost:7277/docs/errors#${failed.code} (passkey serve), or docs/errors.md`)]),
    ...(knownErrors.length === 0 && failed !== undefined ? [style.paint.yellow(row('Fix', failed.hint))] : []),
    ...knownErrors.toReversed().flatMap((known) => renderKnownError(known, style)),
  ];
}

function verdictText({ verdict, disagreement, failed }: CeremonyReport): string {
  if (failed !== undefined) return `rejected at §${failed.section} step ${failed.number} (${failed.slug})`;
  if (disagreement !== undefined) return `undecided (${disagreement.code}): ${disagreement.hint}`;
  return verdict === 'undecided' ? 'undecided: nothing failed, but the skipped steps above decide' : verdict;
}

function renderAdvice(advice: Explained['advice'], style: Style, at = 0): string {
  const paints = { error: style.paint.red, warning: style.paint.yellow, note: style.paint.dim };
  return advice
    .map(({ severity, pointer, message }) =>
      paints[severity](labelled(`${' '.repeat(at)}${severity}`, printable(`${pointer || '/'}: ${message}`), { ...style, indent: at + 9 })),
    )
    .join('\n');
}

/** Renders an input without a ceremony in one line, and the advice on it in further lines. Used if there are many inputs. */
export function renderKind(source: string, { recognised, advice }: Explained, style: Style): string {
  const line = `${style.paint.dim('·')} ${printable(source)}  ${KIND_NAMES[recognised.kind]}`;
  return advice.length === 0 ? line : `${line}\n${renderAdvice(advice, style, 4)}`;
}

/** Renders a ceremony in one line. If the ceremony failed, adds the advice below. Used if there are many inputs. */
export function renderLine(source: string, { name, outcome, answer, headline }: ExplainedCeremony, { width, paint }: Style): string {
  const shown = printable(name ?? source);
  if (outcome instanceof PasskeyError) {
    return `${paint.red('✗')} ${shown}\n${labelled('', printable(outcome.message), { width, indent: 4 })}`;
  }
  const { verdict, failed } = outcome;
  if (failed === undefined && answer !== undefined && isRefusal(answer)) {
    return `${paint.red('✗')} ${shown}\n${labelled('', printable(headline), { width, indent: 4 })}`;
  }
  if (failed === undefined) {
    return verdict === 'accepted' ? `${paint.green('✓')} ${shown}` : `${paint.yellow('·')} ${shown}  undecided`;
  }
  const step = `§${failed.section} step ${failed.number} (${failed.slug}): ${failed.hint}`;
  return `${paint.red('✗')} ${shown}\n${labelled('', printable(step), { width, indent: 4 })}`;
}

/** Renders a call that got no response in one line. */
export function renderCallLine({ name, headline }: UnansweredCall, { width, paint }: Style): string {
  return `${paint.red('✗')} ${printable(name)}\n${labelled('', printable(headline), { width, indent: 4 })}`;
}

const OFFSET_WIDTH = 12;

/** Renders an annotated structure as lines with location, value and meaning. Each line is at most `width` characters long. */
function* treeLines(node: AnnotatedNode, { width, paint }: Style): Generator<string> {
  yield* renderNode(node, '', '');

  function* renderNode(current: AnnotatedNode, lead: string, below: string): Generator<string> {
    const label = printable(current.label);
    const value = current.value === undefined ? undefined : printable(current.value);
    const note = current.note === undefined ? undefined : printable(current.note);
    const room = width - OFFSET_WIDTH - lead.length;
    const [valueRows, noteRows] = layOut({ label, value, note, room });
    const [first = '', ...others] = valueRows;
    const head = `${paint.bold(label)}${first === '' ? '' : ` ${first}`}`;
    const tail =
      noteRows.length === 1 && others.length === 0 && addLengths(label, first, noteRows[0]) <= room
        ? `  ${paint.dim(noteRows[0] ?? '')}`
        : '';
    yield `${paint.dim(place(current))}${paint.dim(lead)}${head}${tail}`.trimEnd();
    const indent = `${' '.repeat(OFFSET_WIDTH)}${below}${(current.children?.length ?? 0) > 0 ? '│ ' : '  '}`;
    const row = (text: string, colour: (text: string) => string) => `${paint.dim(indent)}${colour(text)}`.trimEnd();
    for (const other of others) yield row(other, (text) => text);
    if (tail === '') for (const noteRow of noteRows) yield row(noteRow, paint.dim);
    const error = current.error === undefined ? [] : wrap(`✗ ${printable(current.error)}`, width - indent.length);
    for (const errorRow of error) yield row(errorRow, paint.red);
    const children = current.children ?? [];
    for (const [index, child] of children.entries()) {
      const last = index === children.length - 1;
      yield* renderNode(child, `${below}${last ? '└ ' : '├ '}`, `${below}${last ? '  ' : '│ '}`);
    }
  }
}

/** Arranges label, value and note of a line. Text that does not fit on the first line goes on lines below it. */
function layOut(o: { label: string; value: string | undefined; note: string | undefined; room: number }): readonly [string[], string[]] {
  const { label, value, note, room } = o;
  const beside = room - label.length - 1;
  const shown = value === undefined ? undefined : cutHex(value, beside - (note === undefined ? 0 : note.length + 2));
  const valueRows = shown === undefined ? [''] : shown.length <= beside ? [shown] : ['', ...wrap(shown, room - 2)];
  return [
    valueRows,
    note === undefined ? [] : addLengths(label, valueRows[0], note) <= room && valueRows.length === 1 ? [note] : wrap(note, room - 2),
  ];
}

const LEAST_DIGITS = 16;

/** Shortens a long byte string in hexadecimal to its beginning. The offset and length beside it show where the rest is. */
function cutHex(value: string, room: number): string {
  if (value.length <= room || !/^[0-9a-f]{16,}…?$/.test(value)) return value;
  const digits = Math.max(LEAST_DIGITS, room - 1) & ~1;
  return value.length <= digits ? value : `${value.slice(0, digits)}…`;
}

function addLengths(label: string, value = '', note = ''): number {
  return label.length + (value === '' ? 0 : value.length + 1) + (note === '' ? 0 : note.length + 2);
}

/** Formats the location of a structure: `  37+16  ` means sixteen bytes from byte 37 on. */
function place({ offset, length: bytes }: AnnotatedNode): string {
  const text = offset === undefined ? '' : `${String(offset).padStart(5)}${bytes === undefined ? '' : `+${bytes}`}`;
  return text.padEnd(OFFSET_WIDTH);
}
