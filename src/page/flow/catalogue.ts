import type { ExpectationField } from '../../server/schemas/expectations.js';
import { type MutationRow, type Persona, readRows } from '../catalogue.js';
import { describeFailure, succeeded } from '../run.js';
import type { App } from './app.js';

/** Loads the personas that the server's software authenticator imitates, unless they are already loaded. */
export async function loadPersonas(app: App): Promise<void> {
  if (isUnderWay(app.store.get().personas.status)) return;
  app.store.set({ personas: { status: 'loading' } });
  const leg = await app.api.call('GET', '/dev/personas');
  const rows = succeeded(leg) ? readRows<Persona>(leg.answer, 'id') : undefined;
  app.store.set({ personas: rows === undefined ? { status: 'failed', why: describeFailure(leg) } : { status: 'loaded', rows } });
}

/** Loads the mutations that the server offers, repeating the request until the server responds. */
export async function loadMutations(app: Pick<App, 'store' | 'api'>): Promise<void> {
  if (isUnderWay(app.store.get().mutations.status)) return;
  app.store.set({ mutations: { status: 'loading' } });
  const leg = await app.api.call('GET', '/dev/mutations');
  const rows = succeeded(leg) ? readRows<MutationRow>(leg.answer, 'id') : undefined;
  const said = describeFailure(leg);
  const why = leg.status === 404 ? `This server has no catalogue of mistakes. ${said}` : said;
  app.store.set({ mutations: rows === undefined ? { status: 'failed', why } : { status: 'loaded', rows } });
}

/** Loads the list of expectations that the user can set for a pasted ceremony, unless it is already loaded. */
export async function loadExpectations(app: App): Promise<void> {
  if (isUnderWay(app.store.get().expectations.status)) return;
  app.store.set({ expectations: { status: 'loading' } });
  const leg = await app.api.call('GET', '/dev/expectations');
  const rows = succeeded(leg) ? readRows<ExpectationField>(leg.answer, 'name') : undefined;
  app.store.set({ expectations: rows === undefined ? { status: 'failed', why: describeFailure(leg) } : { status: 'loaded', rows } });
}

function isUnderWay(status: string): boolean {
  return status === 'loading' || status === 'loaded';
}
