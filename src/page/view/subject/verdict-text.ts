import { mayBeCancelled } from '../../../explain/browser-errors/cancelled.js';
import type { ExplainDocument } from '../../../explain/document-schema.js';
import { isObject } from '../../../kernel/json-value.js';
import { count } from '../../../kernel/wording.js';
import type { StreamDetail, StreamEntry } from '../../../server/schemas/stream.js';
import { isLoopbackHost } from '../../../webauthn/loopback.js';
import { type Listed, type Persona, softwareText } from '../../catalogue.js';
import type { Asked } from '../../decode.js';
import { type Item, isCeremony, type Material } from '../../items.js';
import { numberAt, stringAt } from '../../json.js';
import { answererName, type BrowserError, expectedOrigin, findBrowserLeg, findProblem } from '../../run.js';
import { describeVerdict, type Verdict } from '../../verdicts.js';
import { formatDuration, formatTime } from '../time.js';

/** The verdict in large: as the badges say it, but closer where more is known. */
export function verdictWord(
  item: Pick<Item, 'verdict' | 'code' | 'kind' | 'software'>,
  /** For a pasted ceremony, or one of another site. */
  foreign?: ExplainDocument,
): string {
  const word = closerWord(item) ?? (foreign && findHeadline(foreign)) ?? describeVerdict(item);
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

function closerWord({ verdict, code }: Pick<Item, 'verdict' | 'code'>): string | undefined {
  // No error says who ended it.
  return verdict === 'cancelled' && code === 'NotAllowedError' ? 'ended without an answer' : undefined;
}

/** The explanation of a ceremony that another server judged: pasted, or of the site that `passkey browse` follows. */
export function findForeign({ pasted, entry }: Item, detail: StreamDetail | undefined): ExplainDocument | undefined {
  return pasted?.document ?? (entry?.site === undefined ? undefined : (detail?.explanation ?? undefined));
}

/** The answer of the server of a pasted ceremony, the reason for its absence, or the meaning of an error. */
function findHeadline({ server, verdict, headline, error, known_errors: known }: ExplainDocument): string | undefined {
  if (server !== null || verdict === null) return headline ?? known[0]?.title ?? (error === null ? undefined : 'not readable');
  return undefined;
}

/** The one sentence under the verdict; empty while it waits. */
export function describeEnd({ run, entry, pasted }: Item): string {
  if (run !== undefined) return run.summary;
  if (pasted !== undefined) return pastedSentence(pasted.document);
  return entry === undefined ? '' : entrySentence(entry);
}

function pastedSentence(document: ExplainDocument): string {
  const [known] = document.known_errors;
  if (document.error === null && known !== undefined) return `${document.headline === null ? `Error text of ${known.from}` : known.title}.`;
  return stepsSentence(document);
}

function stepsSentence({ verdict, ceremony, error, steps }: ExplainDocument): string {
  if (error !== null) return `${error.code}: ${error.message}`;
  const failed = steps.find(({ status }) => status === 'fail');
  switch (verdict) {
    case 'accepted':
      return 'Every step that applies passes.';
    case 'rejected':
      return failed === undefined ? 'A step fails.' : `${failed.code ?? 'rejected'}: Step ${failed.number} fails: “${failed.title}”.`;
    case 'undecided':
      return 'Nothing fails, but something that decides was not given: the open steps say what.';
    case null:
      return ceremony === null ? 'This is no ceremony: it has no steps.' : 'The call got no response.';
  }
}

function entrySentence({ state, status, code, message, step, browser, via, kind, software, foreign, site }: StreamEntry): string {
  if (foreign !== undefined) {
    return `It sent ${count(foreign.requests, 'request')}. Its browser keeps the answers from it, since this server was not started for its origin.`;
  }
  const answered = `${status ?? ''} ${code ?? ''}`.trim();
  switch (state) {
    case 'verified':
      return kind === 'registration' ? 'The server verified and stored the passkey.' : 'The server verified the assertion.';
    case 'rejected':
    case 'refused':
    case 'scripted':
      if (site) {
        const failed = step ? `, and step ${step.number} fails: “${step.title}”` : '';
        return `${code ? `${code}: ` : ''}The site refused it (${status})${failed}.`;
      }
      return `${answered === '' ? 'refused' : answered}: ${step === null ? (message ?? 'The server gave no reason.') : `Step ${step.number} fails: “${step.title}”.`}`;
    case 'changed':
      return `${message === null ? 'Changed' : 'It was changed'} by ${via ?? 'the server'}.`;
    case 'elsewhere':
      return 'Another process on the same database was answered: its own stream has it, and `passkey audit` how it ended.';
    case 'undecided':
      return answered === ''
        ? 'The page did not send it to its server, or not whole.'
        : `${answered}: The site did not say whether it accepts it.`;
    case 'open':
    case 'expired': {
      if (site) return browser?.error ? `${browser.error}: ${browser.message ?? ''}` : 'Begun, but not answered.';
      const expired = state === 'expired' ? ' Its challenge has expired.' : ' Its challenge can still be answered.';
      if (browser === null || browser.error === null) return `Begun, but not answered.${expired}`;
      const by = answererName(software === null ? undefined : { persona: software.persona ?? undefined, tamper: undefined });
      const ended = mayBeCancelled(browser.error, browser.milliseconds, by !== 'browser');
      return `${browser.error}: ${ended ? 'The user or the browser ended it.' : `The ${by} gave no answer.`}${expired}`;
    }
  }
}

/** A sentence that starts with a code: the code, and the rest. */
export function splitCode(sentence: string): { readonly code: string | undefined; readonly rest: string } {
  const match = /^((?:\d{3} )?[a-z]+(?:_[a-z0-9]+)*|\d{3}|[A-Z][A-Za-z]+Error|NoCredential): /.exec(sentence);
  return match?.[1] === undefined ? { code: undefined, rest: sentence } : { code: match[1], rest: sentence.slice(match[1].length + 1) };
}

/** Finds the browser's exception, explained: as this tab saw it, or as another reported it to the server. */
export function findBrowserError({ run, entry }: Item, detail: StreamDetail | undefined): BrowserError | undefined {
  if (run !== undefined) return findBrowserLeg(run)?.error;
  const { error = null, message = null } = entry?.browser ?? {};
  const explanation = detail?.browser_explanation ?? null;
  return error === null || explanation === null ? undefined : { name: error, message: message ?? '', explanation };
}

interface Fact {
  readonly name: string;
  readonly value: string;
  /** Data rather than words. */
  readonly mono?: boolean;
  readonly tone?: 'accent' | 'warn';
}

/** Time, place and people of an item; only what is known. */
export function listFacts(item: Item, detail: StreamDetail | undefined, personas?: Listed<Persona>): Fact[] {
  const { run, entry, software } = item;
  const ended = entry?.finished_at ?? undefined;
  const legs = run?.legs ?? [];
  const took = run === undefined ? (ended === undefined ? undefined : Date.parse(ended) - item.at) : sum(legs);
  const by = software && softwareText(software, personas);
  const { method = null, path = null } = run === undefined ? (detail ?? {}) : {};
  const refused = item.verdict === 'rejected' || item.verdict === 'refused';
  const requestId = refused
    ? (entry?.request_ids.at(-1) ?? stringAt(run === undefined ? undefined : findProblem(run), 'request_id'))
    : undefined;
  const address = item.mine ? null : (entry?.address ?? null);
  const far = address !== null && !isLoopbackHost(address.includes(':') ? `[${address}]` : address);
  const facts: (Fact | undefined)[] = [
    { name: 'Time', value: formatTime(new Date(item.at).toISOString(), 'medium'), mono: true },
    took === undefined || took <= 0 || item.verdict === 'waiting' ? undefined : { name: 'Took', value: formatDuration(took), mono: true },
    item.user === undefined ? undefined : { name: 'User', value: item.user },
    item.passkey === undefined ? undefined : { name: 'Passkey', value: item.passkey },
    { name: 'From', value: item.source },
    by === undefined ? undefined : { name: 'Answered by', value: by, tone: 'accent' },
    software?.tamper === undefined ? undefined : { name: 'Broken on purpose', value: software.tamper, mono: true, tone: 'warn' },
    item.changed.length === 0 ? undefined : { name: 'Changed options', value: item.changed.join(', '), mono: true },
    method === null ? undefined : { name: 'Request', value: `${method} ${path ?? ''}`, mono: true },
    far ? { name: 'Address', value: address, mono: true } : undefined,
    (detail?.change?.reason ?? null) === null ? undefined : { name: 'Reason', value: detail?.change?.reason ?? '' },
    requestId === undefined ? undefined : { name: 'Request id', value: requestId, mono: true },
  ];
  return facts.filter((fact) => fact !== undefined);
}

function sum(legs: readonly { readonly kind: string; readonly milliseconds?: number }[]): number {
  return legs.reduce((total, { milliseconds = 0 }) => total + milliseconds, 0);
}

/** Verdicts that come with steps: the server, or `explain`, judged an answer. */
const JUDGED: readonly Verdict[] = ['verified', 'rejected'];

/** Whether an explanation will come that is not here yet. */
export function awaitsExplanation(
  item: Item,
  { followed, status }: { readonly followed: boolean; readonly status: string | undefined },
): boolean {
  if (!isCeremony(item) || !followed || status === 'loaded' || status === 'failed') return false;
  return JUDGED.includes(item.verdict) && (item.run === undefined || item.run.legs.length > 2);
}

/** The explanation of an item, from the server or from what was pasted; undefined until there is one. */
export function findExplanation({ pasted }: Item, detail: StreamDetail | undefined): ExplainDocument | undefined {
  return pasted?.document ?? detail?.explanation ?? undefined;
}

/** Collects the values that a response is compared with. A value that a step accepted is not wrong. */
export function collectExpected(
  item: Item,
  { options }: Material,
  explanation: ExplainDocument | undefined,
  own: { readonly origin: string; readonly hostname: string },
): Asked {
  const { run, entry } = item;
  const steps = explanation?.steps ?? [];
  const wrongOrigin = steps.find(({ slug, status }) => slug === 'origin' && status === 'fail')?.expected ?? undefined;
  const rpId = stringAt(options, 'rp', 'id') ?? stringAt(options, 'rpId') ?? entry?.rp_id ?? undefined;
  return {
    challenge: stringAt(options, 'challenge'),
    origin: wrongOrigin ?? (run === undefined ? undefined : expectedOrigin(run, own.origin)),
    rpId: rpId ?? (run === undefined ? undefined : own.hostname),
    passed: new Set(steps.filter(({ status }) => status === 'pass').map(({ slug }) => slug)),
  };
}

/** The step at which it failed, from the explanation, or from the server's refusal. */
export function failedSlug(item: Item, explanation: ExplainDocument | undefined): string | undefined {
  return explanation?.steps.find(({ status }) => status === 'fail')?.slug ?? item.entry?.step?.slug;
}

export type Step = ExplainDocument['steps'][number];

/** A failed step, as the explanation, the problem document and the stream all have it. */
export type FailedStep = Pick<Step, 'section' | 'number' | 'slug' | 'title' | 'expected' | 'received' | 'hint'>;

/** The failed steps of an explanation; before it is there, the one that the server's refusal names. */
export function failedSteps(item: Item, explanation: ExplainDocument | undefined): readonly FailedStep[] {
  const failed = explanation?.steps.filter(({ status }) => status === 'fail') ?? [];
  if (failed.length > 0) return failed;
  const refusedStep = stepIn(item.run === undefined ? undefined : findProblem(item.run)) ?? item.entry?.step ?? undefined;
  return refusedStep === undefined ? [] : [refusedStep];
}

/** `step` of a problem document. */
function stepIn(problem: unknown): FailedStep | undefined {
  const step = isObject(problem) ? problem['step'] : undefined;
  const section = stringAt(step, 'section');
  const number = numberAt(step, 'number');
  if ((section !== '7.1' && section !== '7.2') || number === undefined) return undefined;
  const text = (member: string) => stringAt(step, member) ?? null;
  return {
    section,
    number,
    slug: text('slug') ?? '',
    title: text('title') ?? '',
    expected: text('expected'),
    received: text('received'),
    hint: text('hint'),
  };
}

/** `29 steps pass`, `1 step fails, 22 pass, 4 open, 2 skipped`. */
export function tally(steps: readonly { readonly status: Step['status'] | 'warn'; readonly open?: boolean }[], noun = 'step'): string {
  const of = (wanted: Step['status']) => steps.filter(({ status }) => status === wanted).length;
  const open = steps.filter((step) => step.open === true).length;
  const [failed, passed, skipped] = [of('fail'), of('pass'), of('skip') - open];
  const rest = `${open === 0 ? '' : `, ${open} open`}${skipped === 0 ? '' : `, ${skipped} skipped`}`;
  if (failed === 0) return `${count(passed, noun)} ${passed === 1 ? 'passes' : 'pass'}${rest}`;
  return `${count(failed, noun)} ${failed === 1 ? 'fails' : 'fail'}, ${passed} pass${rest}`;
}

/** Describes the verdict of the verification library, beside the steps. */
export function libraryLine({
  library,
  difference,
  verdict: own,
}: ExplainDocument): { readonly differs: boolean; readonly text: string } | undefined {
  if (library === null) return undefined;
  const { verdict, reason } = library;
  const why = reason === null ? '' : `: ${reason.replace(/\.$/, '')}`;
  const too = verdict === own ? ' too' : '';
  const differs = difference !== null;
  switch (verdict) {
    case 'accepted':
      return { differs, text: `The verification library accepts it${too}.` };
    case 'rejected':
      return { differs, text: `The verification library refuses it${too}${why}.` };
    case 'not-asked':
      return { differs, text: `The verification library was not asked${why}.` };
  }
}
