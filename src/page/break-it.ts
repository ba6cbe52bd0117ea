import type { MutationRow } from './catalogue.js';
import { stringAt } from './json.js';
import { isOwn } from './passkey-facts.js';
import { browserLegOf, type Outcome, problemOf, type Run } from './run.js';
import { softwarePasskeys } from './software-passkeys.js';
import { type AppState, isRevoked, type PasskeyRow, type Tried } from './state.js';

/** What people look for first. The second mutation is for passkeys that the first one does not fit. */
const FIRST: readonly { readonly name: string; readonly ids: readonly string[] }[] = [
  { name: 'Another origin', ids: ['login.origin-other-site'] },
  { name: 'Another port', ids: ['login.origin-other-port'] },
  { name: 'A stale challenge', ids: ['login.challenge-used'] },
  { name: 'A byte of the signature', ids: ['login.signature-bit'] },
  { name: 'No user verification', ids: ['login.user-not-verified'] },
  { name: 'Backup eligibility changed', ids: ['login.backup-eligibility-gained', 'login.backup-eligibility-lost'] },
  { name: 'The counter goes back', ids: ['verify.counter-zero', 'login.counter-zero'] },
  { name: 'A foreign user handle', ids: ['login.user-handle-foreign'] },
];

/** Something that can be broken, with the name that the page gives it. */
export interface Mistake {
  readonly name: string;
  readonly row: MutationRow;
}

/** The mistakes that people look for first, as far as this server has them. */
export function firstMistakes(rows: readonly MutationRow[]): readonly Mistake[] {
  return FIRST.flatMap(({ name, ids }) => {
    const row = ids.map((id) => rows.find((each) => each.id === id)).find((found) => found !== undefined);
    return row === undefined ? [] : [{ name, row }];
  });
}

/** Those with every word in id, title, error code or step. */
export function searchMutations(rows: readonly MutationRow[], wanted: string): readonly MutationRow[] {
  const words = wanted
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return rows;
  return rows.filter(({ id, title, code, tests, why }) => {
    const text = `${id}\n${title}\n${code}\n${tests?.title}\n${why}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** How a tried mutation fared, in words. */
export interface Fared {
  readonly text: string;
  /** `good`: as a correct relying party does; `bad`: otherwise; `plain`: it came to no verdict. */
  readonly tone: 'good' | 'bad' | 'plain';
}

export function fareOf({ expected, code }: Pick<MutationRow, 'expected' | 'code'>, tried: Pick<Tried, 'outcome' | 'code'>): Fared {
  const { outcome } = tried;
  if (outcome === 'verified') {
    return expected === 'accepted' ? { text: 'accepted, as it should be', tone: 'good' } : { text: 'accepted!', tone: 'bad' };
  }
  if (outcome === 'rejected') {
    if (expected === 'accepted') return { text: `refused: ${tried.code ?? 'no code'}`, tone: 'bad' };
    const other = code !== null && tried.code !== code;
    return { text: other ? `refused, by another step: ${tried.code ?? 'no code'}` : 'refused, as it should be', tone: 'good' };
  }
  return { text: tried.code === 'not_applicable' ? 'does not fit here' : WORDS[outcome], tone: 'plain' };
}

const WORDS: Readonly<Record<Exclude<Outcome, 'verified' | 'rejected'>, string>> = {
  running: 'under way',
  unanswered: 'the server did not answer',
  'browser-error': 'not answered',
  cancelled: 'cancelled',
  failed: 'not begun',
};

/** Error code of the server's refusal, or name of the error of who should have answered. */
export function codeOf(run: Run): string | undefined {
  return stringAt(problemOf(run), 'code') ?? browserLegOf(run)?.error?.name;
}

/** The user's newest passkey that this browser may have. */
export function newestOfBrowser(state: AppState): PasskeyRow | undefined {
  const software = softwarePasskeys(state);
  return newest(state, ({ id, credential_id: credentialId }) => !software.has(id) && !state.signalled.includes(credentialId));
}

/** The user's newest passkey that the software authenticator has: of this persona, if it is given. */
export function newestOfSoftware(state: AppState, persona?: string): PasskeyRow | undefined {
  const software = softwarePasskeys(state);
  return newest(state, ({ id }) => software.has(id) && (persona === undefined || software.get(id) === persona));
}

function newest(state: AppState, fits: (passkey: PasskeyRow) => boolean): PasskeyRow | undefined {
  return state.passkeys.findLast((passkey) => isOwn(state, passkey) && !isRevoked(passkey) && fits(passkey));
}
