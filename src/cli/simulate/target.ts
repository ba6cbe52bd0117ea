import { PasskeyError } from '../../errors.js';
import type { SimulateOptions } from '../../simulate/simulate.js';
import { type Flags, readFlag } from '../config/resolve.js';
import { duration } from '../config/values.js';
import type { Io } from '../io.js';

const timeout = duration({ min: 100, max: 3_600_000 });

/**
 * The running server to test; undefined: the one in process.
 *
 * @throws PasskeyError `usage` for a flag that needs `--url`.
 */
export function targetOf(io: Io, { url, token = [], appUrl, timeout: within }: Flags): SimulateOptions['target'] {
  const tokens = Array.isArray(token) ? token.map(String) : [];
  const answerWithin = within === undefined ? undefined : readFlag(io, timeout, '--timeout', within);
  if (typeof url === 'string') {
    return { url, tokens, ...(typeof appUrl === 'string' && { origin: appUrl }), ...(answerWithin !== undefined && { answerWithin }) };
  }
  const without =
    appUrl === undefined ? (tokens.length > 0 ? '--token' : answerWithin === undefined ? undefined : '--timeout') : '--app-url';
  if (without !== undefined) throw new PasskeyError('usage', `${without} needs a running server. Name it with --url.`);
  return undefined;
}

/** @throws PasskeyError `usage` */
export function checkTokens(target: SimulateOptions['target']): void {
  if (target?.tokens?.length !== 0) return;
  throw new PasskeyError(
    'usage',
    '--url needs --token: no registration, login or verification can run without one. Give it twice, with the bearer tokens of two users of that server; `passkey token create --user EMAIL` prints one.',
  );
}
