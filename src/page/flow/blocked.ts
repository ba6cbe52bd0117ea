import type { CeremonyKind } from '../../webauthn/enumerations.js';
import { unverifiable } from '../setup/verifiable.js';
import { type AppState, type ServerState, statusLine } from '../state.js';
import type { App } from './app.js';

/** What decides whether options can be used. */
export type Blocking = Pick<AppState, 'invalid' | 'setup'> & { readonly server: Pick<ServerState, 'local' | 'verifiable'> | undefined };

/** Why the options of a ceremony cannot be used: as they stand in the editor, or as the address of the page gives them. */
export function unusableBecause({ invalid, setup, server }: Blocking, dictionary: CeremonyKind): string | undefined {
  const asked = server?.local === true ? unverifiable(dictionary, setup[dictionary], server.verifiable).join(' ') : '';
  return invalid[dictionary]?.problem ?? (asked === '' ? undefined : asked);
}

/** Why a ceremony cannot begin now; undefined when it can. */
export function blockedBecause(state: Pick<AppState, 'waiting'> & Blocking, kind: CeremonyKind): string | undefined {
  const { waiting } = state;
  if (waiting !== undefined) return `“${waiting.title}” is still waiting. Answer or cancel it first.`;
  const problem = unusableBecause(state, kind);
  return problem && `The options to ${kind === 'registration' ? 'register' : 'log in'} cannot be used. ${problem}`;
}

/** Whether a ceremony cannot begin now. Options that cannot be used are shown, with the reason. */
export function isBlocked({ store }: App, kind: CeremonyKind): boolean {
  const state = store.get();
  const because = blockedBecause(state, kind);
  if (because !== undefined && state.waiting === undefined) store.set({ drawer: 'options', ...statusLine(because, true) });
  return because !== undefined;
}
