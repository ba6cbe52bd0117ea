import { codeOf, newestPasskey } from '../break-it.js';
import { type MutationRow, PLAIN, THIS_BROWSER } from '../catalogue.js';
import type { Run } from '../run.js';
import type { PasskeyRow } from '../state.js';
import type { App } from './app.js';
import { answererOf, type Mutation, type Purpose } from './ask.js';
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
  let run = await attempt(app, row, false);
  if (run !== undefined && codeOf(run) === 'not_applicable') {
    await prepare(app, row);
    run = await attempt(app, row, true);
  }
  if (run === undefined) return;
  const { outcome } = run;
  app.store.set({ tried: new Map(app.store.get().tried).set(row.id, { key: runKey(run.id), outcome, code: codeOf(run) }) });
}

/** @param bySoftware whatever is chosen on the page */
async function attempt(app: App, row: MutationRow, bySoftware: boolean): Promise<Run | undefined> {
  const tamper: Mutation = { id: row.id, title: row.title, inBrowser: row.in_browser };
  const purpose: Purpose = { title: `Break it: ${row.title}`, tamper, options: row.asks?.options };
  return row.ceremony === 'registration'
    ? await breakRegistration(app, row, bySoftware ? { ...purpose, answerWith: softwareFor(app, row) } : purpose)
    : await breakLogin(app, row, purpose, bySoftware);
}

async function breakRegistration(app: App, row: MutationRow, purpose: Purpose): Promise<Run | undefined> {
  const options = { ...(byBrowser(app, row) && purpose.answerWith === undefined ? {} : NONE_EXCLUDED), ...purpose.options };
  return await newRun(app, row.ceremony, () => register(app, { label: row.title, purpose: { ...purpose, options } }));
}

async function breakLogin(app: App, row: MutationRow, purpose: Purpose, bySoftware: boolean): Promise<Run | undefined> {
  const own = !bySoftware && byBrowser(app, row) ? newestPasskey(app.store.get(), false) : undefined;
  const passkey = own ?? newestPasskey(app.store.get(), true) ?? (await makePasskey(app, row));
  if (passkey === undefined) return undefined;
  const { login = 'named', endpoint = row.id.startsWith('verify.') ? 'verify' : 'login' } = row.asks ?? {};
  return await newRun(app, row.ceremony, () =>
    authenticate(app, {
      passkey: login === 'discoverable' ? undefined : passkey,
      endpoint,
      purpose: { ...purpose, credentialId: passkey.credential_id, ...(own === undefined ? { answerWith: softwareFor(app, row) } : {}) },
    }),
  );
}

/** What a mutation may need that did not fit: a passkey of its kind, and a ceremony that has ended well. */
async function prepare(app: App, row: MutationRow): Promise<void> {
  const particular = (row.asks?.persona ?? row.asks?.algorithms ?? null) !== null;
  const held = particular ? undefined : newestPasskey(app.store.get(), true);
  const passkey = held ?? (await makePasskey(app, row));
  if (passkey === undefined || row.ceremony === 'registration') return;
  const purpose = {
    title: 'Verify honestly first, for a mistake that needs an earlier ceremony',
    answerWith: softwareFor(app, row),
    credentialId: passkey.credential_id,
  };
  await authenticate(app, { passkey, endpoint: 'verify', purpose });
}

async function makePasskey(app: App, { asks }: MutationRow): Promise<PasskeyRow | undefined> {
  const algorithms = asks?.algorithms ?? [];
  const offered = algorithms.length === 0 ? {} : { pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })) };
  const purpose = {
    title: 'Create a software passkey first, to break',
    answerWith: asks?.persona ?? softwareChosen(app),
    options: { ...NONE_EXCLUDED, ...offered, authenticatorSelection: { residentKey: 'required' } },
  };
  await register(app, { label: 'Software passkey', purpose });
  return newestPasskey(app.store.get(), true);
}

/** Whether this browser is to answer: as it was chosen, and the change needs no key. */
function byBrowser(app: App, { in_browser: inBrowser }: MutationRow): boolean {
  return inBrowser && answererOf(app.store.get()) === THIS_BROWSER;
}

function softwareFor(app: App, { asks }: MutationRow): string {
  return asks?.persona ?? softwareChosen(app);
}

function softwareChosen(app: App): string {
  const chosen = answererOf(app.store.get());
  return chosen === THIS_BROWSER ? PLAIN : chosen;
}

/** The run that `begin` begins and ends. */
async function newRun(app: App, kind: Run['kind'], begin: () => Promise<unknown>): Promise<Run | undefined> {
  const newest = app.store.get().runs[0]?.id ?? 0;
  await begin();
  return app.store.get().runs.find((run) => run.id > newest && run.kind === kind);
}
