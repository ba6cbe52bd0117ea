import { mayBeCancelled } from '../../../explain/browser-errors/cancelled.js';
import type { ExplainDocument } from '../../../explain/document-schema.js';
import { count } from '../../../kernel/wording.js';
import type { StreamEntry } from '../../../server/schemas/stream.js';
import type { Item } from '../../items.js';
import { answererName } from '../../run.js';
import { describeVerdict } from '../../verdicts.js';

/** Chooses the verdict to show in large type. It resembles the verdict in the list but is more specific if more is known. */
export function verdictWord(
  item: Pick<Item, 'verdict' | 'code' | 'kind' | 'software'>,
  /** Explanation by this program of a pasted ceremony, or of a ceremony at another site. */
  foreign?: ExplainDocument,
): string {
  const word = closerWord(item) ?? (foreign && findHeadline(foreign)) ?? describeVerdict(item);
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

function closerWord({ verdict, code }: Pick<Item, 'verdict' | 'code'>): string | undefined {
  // No error says who ended it.
  return verdict === 'cancelled' && code === 'NotAllowedError' ? 'ended without an answer' : undefined;
}

/** Finds the headline of a pasted ceremony: the response of its server, the reason why there is none, or the meaning of an error. */
function findHeadline({ server, verdict, headline, error, known_errors: known }: ExplainDocument): string | undefined {
  if (server !== null || verdict === null) return headline ?? known[0]?.title ?? (error === null ? undefined : 'not readable');
  return undefined;
}

/** Describes the result of an item in one sentence; empty while the item is in progress. */
export function describeEnd({ run, entry, pasted }: Item): string {
  if (run !== undefined) return run.summary;
  if (pasted !== undefined) return pastedSentence(pasted.document);
  return entry === undefined ? '' : entrySentence(entry);
}

function pastedSentence(document: ExplainDocument): string {
  const [known] = document.known_errors;
  if (document.error !== null || known === undefined) return stepsSentence(document);
  if (document.headline === null) return `Error text of ${known.from}.`;
  // The headline begins it with a small letter.
  return document.headline.endsWith(known.title.slice(1)) ? '' : `${known.title}.`;
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
      return 'Nothing fails, but something decisive is missing: the open steps say what.';
    case null:
      return ceremony === null ? 'This is not a ceremony: it has no steps.' : 'The call got no response.';
  }
}

function entrySentence({ state, status, code, message, step, browser, via, kind, software, foreign, site }: StreamEntry): string {
  if (foreign !== undefined) {
    return `It sent ${count(foreign.requests, 'request')}. The browser withholds the answers, since this server does not allow the page’s origin.`;
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
      return 'Another process on the same database got the answer: see its stream, or the result in `passkey audit`.';
    case 'undecided':
      return answered === ''
        ? 'The page did not send it to its server, or only part of it.'
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

/** Splits a sentence that starts with an error code into the code and the rest. */
export function splitCode(sentence: string): { readonly code: string | undefined; readonly rest: string } {
  const match = /^((?:\d{3} )?[a-z]+(?:_[a-z0-9]+)*|\d{3}|[A-Z][A-Za-z]+Error|NoCredential): /.exec(sentence);
  return match?.[1] === undefined ? { code: undefined, rest: sentence } : { code: match[1], rest: sentence.slice(match[1].length + 1) };
}
