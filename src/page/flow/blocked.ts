import type { CeremonyKind } from '../../webauthn/enumerations.js';
import { type AppState, statusLine } from '../state.js';
import type { App } from './app.js';

/** Why a ceremony cannot begin now; undefined when it can. */
export function blockedBecause({ waiting, invalid }: Pick<AppState, 'waiting' | 'invalid'>, kind: CeremonyKind): string | undefined {
  if (waiting !== undefined) return `“${waiting.title}” is still waiting. Answer or cancel it first.`;
  const unusable = invalid[kind];
  return unusable && `The options to ${kind === 'registration' ? 'register' : 'log in'} cannot be used. ${unusable.problem}`;
}

/** Whether a ceremony cannot begin now. Options that cannot be used are shown, with the reason. */
export function isBlocked({ store }: App, kind: CeremonyKind): boolean {
  const state = store.get();
  const because = blockedBecause(state, kind);
  if (because !== undefined && state.waiting === undefined) store.set({ drawer: 'options', ...statusLine(because, true) });
  return because !== undefined;
}
