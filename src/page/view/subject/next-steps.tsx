import type { JSX } from 'preact';
import type { CeremonyKind } from '../../../webauthn/enumerations.js';
import { PLAIN, THIS_BROWSER } from '../../catalogue.js';
import type { App } from '../../flow/app.js';
import { findAnswerer, type Purpose } from '../../flow/ask.js';
import { findNewest, NONE_EXCLUDED, tryMutation } from '../../flow/break-it.js';
import { authenticate, blockedBecause, register } from '../../flow/ceremonies.js';
import { type Item, isCeremony, listItems } from '../../items.js';
import { numberAt, stringAt } from '../../json.js';
import { findVerdictLeg, type Software } from '../../run.js';
import type { AppState } from '../../state.js';
import { useApp, useMembers } from '../../use-app.js';
import { Button } from '../controls.js';
import { Hint } from '../text.js';
import { candidatesFor } from './compare.js';

/** A suggested next step after a ceremony: the remedy of a failure, or the usual step after a success. */
interface NextStep {
  readonly id: string;
  readonly text: string;
  /** Remark that the user should read before taking the step. */
  readonly remark?: string;
  /** Kind of ceremony that the step starts; undefined if the step only shows something. */
  readonly begins?: CeremonyKind;
  readonly take: (app: App) => unknown;
}

/** Buttons with suggested next steps, below a ceremony that has ended. */
export function NextSteps({ item }: { readonly item: Item }): JSX.Element | null {
  const app = useApp();
  const state = useMembers(
    'server',
    'mutations',
    'passkeys',
    'runs',
    'stream',
    'user',
    'answerWith',
    'waiting',
    'invalid',
    'setup',
    'compared',
    'drawer',
  );
  const steps = listNextSteps(item, app.store.get());
  if (steps.length === 0) return null;
  return (
    <div class="stack next-steps" role="group" aria-label="What to do next">
      <div class="line">
        {steps.map(({ id, text, begins, take }) => (
          <Button key={id} id={`next-${id}`} blocked={begins && blockedBecause(state, begins)} onClick={() => void take(app)}>
            {text}
          </Button>
        ))}
      </div>
      {steps.map(({ remark }) => remark !== undefined && <Hint text={remark} />)}
    </div>
  );
}

/** Lists the next steps after a ceremony, most likely first. */
export function listNextSteps(item: Item, state: AppState): readonly NextStep[] {
  const { kind, verdict, code, software, pasted, entry, mine } = item;
  const local = state.server?.local === true;
  const breakIt = local && state.drawer !== 'break' ? [BREAK] : [];
  if (!isCeremony(item) || pasted !== undefined) return [];
  // Only its own page can begin another one.
  if (entry?.site !== undefined) return [...breakIt, ...compareWith(item, state)];
  if (software?.tamper !== undefined) {
    return [
      ...(code === 'signature_invalid' ? [] : signAnew(software, state)),
      ...breakIt,
      repeat(item, state, 'The same without the mistake'),
    ];
  }
  if (verdict === 'verified') {
    return [...(kind === 'registration' ? [logInWith(item, state)] : []), ...breakIt, ...compareWith(item, state)];
  }
  if (verdict === 'rejected' || verdict === 'refused') {
    if (code === 'credential_already_registered') return [logIn('Log in instead')];
    return [repeat(item, state), ...(code === 'passkey_not_found' ? [create('Register a passkey')] : []), ...compareWith(item, state)];
  }
  // Its page was loaded again, or it waits in another tab.
  if (!ENDED.includes(verdict) && !(verdict === 'open' && mine)) return [];
  const bySoftware = local && findAnswerer(state) === THIS_BROWSER ? [answerBySoftware(item, state)] : [];
  if (code !== 'InvalidStateError') return [repeat(item, state), ...bySoftware];
  return [...(local ? [ONE_MORE] : []), logIn('Log in instead'), ...bySoftware];
}

/** Verdicts that do not come from the server. */
const ENDED: readonly Item['verdict'][] = ['browser-error', 'cancelled', 'unanswered', 'failed', 'expired'];

const ONE_MORE: NextStep = {
  ...create('Register it without excludeCredentials', { options: NONE_EXCLUDED }),
  remark: 'Most authenticators keep one passkey per user and site: the new one replaces the old one.',
};

const BREAK: NextStep = { id: 'break', text: 'Break it', take: ({ store }) => store.set({ drawer: 'break' }) };

function create(text: string, purpose: Purpose = {}, id = 'create'): NextStep {
  return { id, text, begins: 'registration', take: (app) => register(app, { label: '', purpose }) };
}

function logIn(text: string, more: Partial<Parameters<typeof authenticate>[1]> = {}, id = 'log-in'): NextStep {
  return { id, text, begins: 'authentication', take: (app) => authenticate(app, { passkey: undefined, endpoint: 'login', ...more }) };
}

/** Creates the step that logs in with the passkey of a registration, using the authenticator that created the passkey. */
function logInWith({ run, entry, software }: Item, { passkeys }: AppState): NextStep {
  const made = (run && numberAt(findVerdictLeg(run)?.answer, 'passkey', 'id')) ?? entry?.passkey?.id;
  const purpose = { answerWith: software?.persona };
  return logIn('Log in with it', { passkey: passkeys.find(({ id }) => id === made), purpose });
}

/**
 * Creates the step that uses the software authenticator. It can log in only with its own passkeys. If it has none, the step first creates
 * one.
 */
function answerBySoftware({ kind }: Item, state: AppState): NextStep {
  const purpose = { answerWith: PLAIN };
  const passkey = findNewest(state);
  if (kind === 'authentication' && passkey !== undefined) {
    return logIn('Log in with the software authenticator', { passkey, purpose }, 'software');
  }
  return create('Register one with the software authenticator', { ...purpose, options: NONE_EXCLUDED }, 'software');
}

/** Creates the step that repeats the same mistake with the software authenticator, if the failed ceremony changed a browser's response. */
function signAnew({ persona, tamper }: Software, { mutations }: AppState): NextStep[] {
  const row = mutations.status === 'loaded' ? mutations.rows.find(({ id }) => id === tamper) : undefined;
  const take = (app: App) => row && tryMutation(app, row, PLAIN);
  return row === undefined || persona !== undefined
    ? []
    : [{ id: 'software', text: 'Sign it anew with the software authenticator', begins: row.ceremony, take, remark: CHANGED_AFTER }];
}

const CHANGED_AFTER =
  'The browser signed its response before the change, so its signature fails too if it covers the change. The software authenticator signs the change.';

/** Creates the step that repeats the ceremony, with the same passkey and endpoint. */
function repeat({ kind, run, entry }: Item, { passkeys }: AppState, text = 'Try again'): NextStep {
  if (kind === 'registration') return create(text, {}, 'again');
  const http = run?.legs.filter((leg) => leg.kind === 'http') ?? [];
  const asked = http.map(({ body }) => stringAt(body, 'credential_id')).find((id) => id !== undefined);
  // Of a run before a reload, the server's entry is left.
  const left = run === undefined ? entry : undefined;
  const verify = http.some(({ path }) => path === '/api/passkeys/verify') || left?.via?.includes('/verify');
  const passkey = passkeys.find(({ id, credential_id: credentialId }) => credentialId === asked || id === left?.passkey?.id);
  return logIn(text, { passkey, endpoint: verify ? 'verify' : 'login' }, 'again');
}

/** Creates the step that shows the previous ceremony of the same kind next to this one. */
function compareWith(item: Item, state: AppState): NextStep[] {
  const before = candidatesFor(item, listItems(state)).find(({ kind, at }) => kind === item.kind && at < item.at);
  return before === undefined || state.compared === before.key
    ? []
    : [{ id: 'compare', text: 'Compare with the one before', take: ({ store }) => store.set({ compared: before.key }) }];
}
