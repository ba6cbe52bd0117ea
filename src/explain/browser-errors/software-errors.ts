import type { Explanation } from '../error-texts/meaning.js';
import { explainBrowserError } from './browser-errors.js';
import type { FailedCall } from './failed-call.js';

type Text = Pick<Explanation, 'title' | 'next'>;

/**
 * Explains why a software authenticator of the server did not respond. `name` is the name of the DOMException that a browser would throw
 * for the options, or the error code of the problem document that the server returned.
 */
export function explainSoftwareError(failed: FailedCall): Explanation {
  const { name, message } = failed;
  const text = TEXTS[name] ?? (name.endsWith('Error') ? undefined : UNEXPECTED);
  return text === undefined ? explainBrowserError(failed) : { title: text.title, causes: [message], next: text.next };
}

const UNEXPECTED: Text = {
  title: 'The software authenticator could not answer',
  next: 'Choose another software authenticator, or answer with this browser.',
};

const REFUSED: Text = {
  title: 'The software authenticator refused the options, as a browser would',
  next: 'Change the options, or choose another software authenticator in “Answer with”. It knows only passkeys that it created on this server.',
};

const TEXTS: Readonly<Record<string, Text>> = {
  // A browser hides its reasons behind this name, and they have to be guessed; the software authenticator states its own.
  NotAllowedError: REFUSED,
  options_refused: REFUSED,
  not_applicable: {
    title: 'The software authenticator cannot make this mistake here',
    next: 'It needs another passkey, other options or an earlier ceremony: see the cause.',
  },
  validation_failed: {
    title: 'The software authenticator cannot answer this',
    next: 'Do what the cause says, or use a passkey that it created.',
  },
  route_not_found: { title: 'This server has no software authenticator', next: 'Answer with this browser.' },
};
