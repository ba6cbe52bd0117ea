import type { Mutation } from '../../simulate/mutations/mutation.js';
import { toCredentialRow } from '../credential-rows.js';
import type { CredentialAnswer, MutationRow } from '../schemas/credentials.js';
import type { Answered, Answering } from './answer.js';
import type { FoundOptions } from './options.js';

/** An answer with what it comes from, as `--json` and `POST /dev/answer` give it. */
export function describeAnswer(
  { remarks }: FoundOptions,
  { persona }: Answering,
  { ceremony, response, source, mutation }: Answered,
): CredentialAnswer {
  const tamper = mutation === undefined ? null : mutationRow(mutation);
  return { ceremony, response, credential: toCredentialRow(source), persona: persona ?? null, tamper, remarks: [...remarks] };
}

/** A mutation as `--json` and `GET /dev/mutations` show it. */
export function mutationRow({ inBrowser, asks, ...mutation }: Mutation): MutationRow {
  const { id, ceremony, title, expected, code, tests, why, requires, disputed } = mutation;
  return {
    id,
    ceremony,
    title,
    expected,
    code: code ?? null,
    tests: tests ?? null,
    why: why ?? null,
    requires: [...requires],
    disputed: disputed ?? null,
    signed_again: !inBrowser,
    in_browser: inBrowser,
    asks: { ...asks, algorithms: asks.algorithms === null ? null : [...asks.algorithms] },
  };
}
