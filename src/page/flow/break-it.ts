import type { CeremonyKind } from '../../webauthn/enumerations.js';
import { type MutationRow, PLAIN, THIS_BROWSER } from '../catalogue.js';
import { nameBroken } from '../items.js';
import { stringAt } from '../json.js';
import { isOwn } from '../passkey-facts.js';
import { describeFailure, findBrowserLeg, findProblem, type Outcome, type Run, succeeded } from '../run.js';
import { matchesWords } from '../shown-text.js';
import { type AppState, isRevoked, type PasskeyRow, statusLine, type Tried } from '../state.js';
import { refresh } from './account.js';
import type { App } from './app.js';
import { findAnswerer, type Purpose, softwarePasskeys } from './ask.js';
import { authenticate, register } from './ceremonies.js';
import { ensureUser } from './first-visit.js';
import { runKey } from './run-log.js';

/** Ids of the mutations for the most common mistakes. The second mutation of a pair is for passkeys to which the first does not apply. */
const FIRST: readonly (readonly string[])[] = [
  ['login.origin-other-site'],
  ['login.origin-other-port'],
  ['login.challenge-used'],
  ['login.signature-bit'],
  ['login.user-not-verified'],
  ['login.backup-eligibility-gained', 'login.backup-eligibility-lost'],
  ['verify.counter-zero', 'login.counter-zero'],
  ['login.user-handle-foreign'],
];

/** Lists the most common mistakes that this server offers. */
export function firstMistakes(rows: readonly MutationRow[]): readonly MutationRow[] {
  return FIRST.flatMap((ids) => ids.flatMap((each) => rows.find(({ id }) => id === each) ?? []).slice(0, 1));
}

/** Finds the mutations whose id, title, error code or step contains every word of the search. */
export function searchMutations(rows: readonly MutationRow[], wanted: string): readonly MutationRow[] {
  return rows.filter(({ id, title, code, tests, why }) => matchesWords(wanted, `${id}\n${title}\n${code}\n${tests?.title}\n${why}`));
}

/** Result of a mutation that was tried, in words. */
interface Fared {
  readonly text: string;
  /** `good` if the server did what a correct relying party does, `bad` if not, `plain` if there is no verdict. */
  readonly tone: 'good' | 'bad' | 'plain';
}

export function describeTried({ expected, code }: Pick<MutationRow, 'expected' | 'code'>, tried: Pick<Tried, 'outcome' | 'code'>): Fared {
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

/** Finds the error code of the server's refusal, or else the name of the authenticator's error. */
function findCode(run: Run): string | undefined {
  return stringAt(findProblem(run), 'code') ?? findBrowserLeg(run)?.error?.name;
}

/**
 * Finds the user's newest passkey that may be stored in this browser or persona. Without `answerer`, finds the newest of the software
 * authenticator.
 */
export function findNewest(state: AppState, answerer?: string): PasskeyRow | undefined {
  const software = softwarePasskeys(state);
  const fits = ({ id, credential_id: credentialId }: PasskeyRow) => {
    if (answerer === THIS_BROWSER) return !software.has(id) && !state.signalled.includes(credentialId);
    return answerer === undefined ? software.get(id) !== undefined : software.get(id) === answerer;
  };
  return state.passkeys.findLast((passkey) => isOwn(state, passkey) && !isRevoked(passkey) && fits(passkey));
}

/**
 * Changed member of the options that excludes no credentials. Otherwise the software authenticator would refuse a second registration of
 * the same user.
 */
export const NONE_EXCLUDED = { excludeCredentials: [] };

/**
 * Tries mistakes one after the other, until the user cancels one. Shows the results in the drawer, which closes if it would cover a
 * ceremony.
 */
export async function tryMutations(app: App, rows: readonly MutationRow[]): Promise<void> {
  for (const row of rows) {
    await tryMutation(app, row);
    const tried = app.store.get().tried.get(row.id);
    if (tried === undefined || tried.outcome === 'cancelled') break;
  }
  app.store.set({ drawer: 'break' });
}

/**
 * Runs one ceremony with one mistake. First creates the prerequisites, each in its own run: a user, a passkey of the software
 * authenticator, and an earlier ceremony without a mistake.
 */
export async function tryMutation(app: App, row: MutationRow, chosen = findAnswerer(app.store.get())): Promise<void> {
  const { site } = app.store.get().server ?? {};
  if (site) return await breakNext(app, row, site.url);
  if (app.store.get().waiting !== undefined || row.unfit !== undefined || !(await ensureUser(app))) return;
  const software = row.asks.persona ?? (chosen === THIS_BROWSER ? PLAIN : chosen);
  // A browser would keep a passkey for each registration, in place of the one that it has.
  const byBrowser = row.in_browser && chosen === THIS_BROWSER && row.ceremony === 'authentication';
  let run = await breakIt(app, row, { software, byBrowser });
  if (run !== undefined && findCode(run) === 'not_applicable') {
    const fitting = { software: row.asks.persona ?? PLAIN, byBrowser: false };
    await prepare(app, row, fitting);
    run = await breakIt(app, row, fitting);
  }
  if (run === undefined) return;
  const { outcome } = run;
  app.store.set({ tried: new Map(app.store.get().tried).set(row.id, { key: runKey(run.id), outcome, code: findCode(run) }) });
}

/** Arranges that the next ceremony is broken at the site that `passkey browse` follows. */
async function breakNext(app: App, { id, ceremony, title }: MutationRow, site: string): Promise<void> {
  await chooseNext(app, id, `The next ${nameCeremony(ceremony)} at ${site} is broken: ${title}.`);
}

/** Chooses the mutation for the next ceremony at the site that `passkey browse` follows; null for none. */
export async function chooseNext(app: App, tamper: string | null, said: string): Promise<void> {
  const leg = await app.api.call('POST', '/dev/site', { tamper });
  app.store.set(succeeded(leg) ? statusLine(said) : statusLine(describeFailure(leg), true));
  await refresh(app);
}

export function nameCeremony(kind: CeremonyKind): string {
  return kind === 'registration' ? kind : 'login';
}

/** Choice of the authenticator that makes the response. */
interface By {
  /** `plain` for the software authenticator without a persona, or the name of a persona. */
  readonly software: string;
  /** True if this browser should respond, because the user has a passkey in it. */
  readonly byBrowser: boolean;
}

async function breakIt(app: App, row: MutationRow, { software, byBrowser }: By): Promise<Run | undefined> {
  const { id, ceremony, title, in_browser: inBrowser, asks } = row;
  const purpose: Purpose = { title: nameBroken(title), tamper: { id, title, inBrowser }, options: asks.options };
  if (ceremony === 'registration') {
    const by = { answerWith: software, options: { ...NONE_EXCLUDED, ...asks.options } };
    return await newRun(app, ceremony, () => register(app, { label: title, purpose: { ...purpose, ...by } }));
  }
  const own = byBrowser ? findNewest(app.store.get(), THIS_BROWSER) : undefined;
  const passkey = own ?? heldBy(app, row, software) ?? (await makePasskey(app, row, software));
  if (passkey === undefined) return undefined;
  const by = own === undefined ? { answerWith: software, credentialId: passkey.credential_id } : {};
  return await newRun(app, ceremony, () =>
    authenticate(app, {
      passkey: asks.login === 'discoverable' ? undefined : passkey,
      endpoint: asks.endpoint,
      purpose: { ...purpose, ...by },
    }),
  );
}

/** Creates the prerequisites that a mutation lacked: a passkey of the right kind, and a completed ceremony. */
async function prepare(app: App, row: MutationRow, { software }: By): Promise<void> {
  const held = row.asks.algorithms === null ? heldBy(app, row, software) : undefined;
  const passkey = held ?? (await makePasskey(app, row, software));
  if (passkey === undefined || row.ceremony === 'registration') return;
  const title = 'First verify without a mistake, for one that needs an earlier ceremony';
  await authenticate(app, { passkey, endpoint: 'verify', purpose: { title, answerWith: software, credentialId: passkey.credential_id } });
}

/** Finds a passkey of the software authenticator that may fit the mutation. */
function heldBy(app: App, { asks }: MutationRow, software: string): PasskeyRow | undefined {
  // What no persona is asked for fits one that is none, or whatever there is.
  const state = app.store.get();
  return findNewest(state, software) ?? (asks.persona === null && software !== PLAIN ? findNewest(state) : undefined);
}

async function makePasskey(app: App, { asks: { algorithms } }: MutationRow, software: string): Promise<PasskeyRow | undefined> {
  const offered = algorithms === null ? {} : { pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })) };
  const options = { ...NONE_EXCLUDED, ...offered, authenticatorSelection: { residentKey: 'required' } };
  const purpose = { title: 'First register a software passkey to break', answerWith: software, options };
  await register(app, { label: 'Software passkey', purpose });
  return findNewest(app.store.get(), software);
}

/** Calls `begin`, which starts and completes a run, and returns that run. */
async function newRun(app: App, kind: Run['kind'], begin: () => Promise<unknown>): Promise<Run | undefined> {
  const newest = app.store.get().runs[0]?.id ?? 0;
  await begin();
  return app.store.get().runs.find((run) => run.id > newest && run.kind === kind);
}
