import type { CeremonyKind } from '../../webauthn/enumerations.js';
import { type Blocking, unusableBecause } from '../setup/verifiable.js';
import { type AppState, statusLine } from '../state.js';
import type { App } from './app.js';

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
