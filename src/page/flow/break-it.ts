import { codeOf, newestOfBrowser, newestOfSoftware } from '../break-it.js';
import { type MutationRow, PLAIN, THIS_BROWSER } from '../catalogue.js';
import type { Run } from '../run.js';
import type { PasskeyRow } from '../state.js';
import type { App } from './app.js';
import { answererOf, type Purpose } from './ask.js';
import { authenticate } from './authenticate.js';
import { ensureUser } from './first-visit.js';
import { register } from './register.js';
import { runKey } from './run-log.js';

/** A registration by the software authenticator is refused where the user has one of its passkeys already. */
const NONE_EXCLUDED = { excludeCredentials: [] };

/**
 * One ceremony with one thing broken. What it needs is made first, each as a run that says so: a user, a passkey of the software authenticator,
 * an honest ceremony before it.
 */
export async function tryMutation(app: App, row: MutationRow): Promise<void> {
  if (app.store.get().waiting !== undefined || !(await ensureUser(app))) return;
  const chosen = answererOf(app.store.get());
  const software = row.asks.persona ?? (chosen === THIS_BROWSER ? PLAIN : chosen);
  const byBrowser = row.in_browser && chosen === THIS_BROWSER;
  let run = await breakIt(app, row, { software, byBrowser });
  if (run !== undefined && codeOf(run) === 'not_applicable') {
    const fitting = { software: row.asks.persona ?? PLAIN, byBrowser: false };
    await prepare(app, row, fitting);
    run = await breakIt(app, row, fitting);
  }
  if (run === undefined) return;
  const { outcome } = run;
  app.store.set({ tried: new Map(app.store.get().tried).set(row.id, { key: runKey(run.id), outcome, code: codeOf(run) }) });
}

/** Who answers. */
interface By {
  /** `plain`, or a persona. */
  readonly software: string;
  /** This browser, if the user has a passkey in it. */
  readonly byBrowser: boolean;
}

async function breakIt(app: App, row: MutationRow, { software, byBrowser }: By): Promise<Run | undefined> {
  const { id, ceremony, title, in_browser: inBrowser, asks } = row;
  const purpose: Purpose = { title: `Break it: ${title}`, tamper: { id, title, inBrowser }, options: asks.options };
  if (ceremony === 'registration') {
    const by = byBrowser ? {} : { answerWith: software, options: { ...NONE_EXCLUDED, ...asks.options } };
    return await newRun(app, ceremony, () => register(app, { label: title, purpose: { ...purpose, ...by } }));
  }
  const own = byBrowser ? newestOfBrowser(app.store.get()) : undefined;
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

/** What a mutation may need that did not fit: a passkey of its kind, and a ceremony that has ended well. */
async function prepare(app: App, row: MutationRow, { software }: By): Promise<void> {
  const held = row.asks.algorithms === null ? heldBy(app, row, software) : undefined;
  const passkey = held ?? (await makePasskey(app, row, software));
  if (passkey === undefined || row.ceremony === 'registration') return;
  const title = 'Verify honestly first, for a mistake that needs an earlier ceremony';
  await authenticate(app, { passkey, endpoint: 'verify', purpose: { title, answerWith: software, credentialId: passkey.credential_id } });
}

/** A passkey of the software authenticator that may fit. */
function heldBy(app: App, { asks }: MutationRow, software: string): PasskeyRow | undefined {
  // What no persona is asked for fits one that is none, or whatever there is.
  const state = app.store.get();
  return newestOfSoftware(state, software) ?? (asks.persona === null && software !== PLAIN ? newestOfSoftware(state) : undefined);
}

async function makePasskey(app: App, { asks: { algorithms } }: MutationRow, software: string): Promise<PasskeyRow | undefined> {
  const offered = algorithms === null ? {} : { pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })) };
  const options = { ...NONE_EXCLUDED, ...offered, authenticatorSelection: { residentKey: 'required' } };
  const purpose = { title: 'Create a software passkey first, to break', answerWith: software, options };
  await register(app, { label: 'Software passkey', purpose });
  return newestOfSoftware(app.store.get(), software);
}

/** The run that `begin` begins and ends. */
async function newRun(app: App, kind: Run['kind'], begin: () => Promise<unknown>): Promise<Run | undefined> {
  const newest = app.store.get().runs[0]?.id ?? 0;
  await begin();
  return app.store.get().runs.find((run) => run.id > newest && run.kind === kind);
}
