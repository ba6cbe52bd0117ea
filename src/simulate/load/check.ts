import { PasskeyError } from '../../errors.js';
import { clause } from '../../kernel/wording.js';
import { decodeBase64url } from '../../webauthn/base64url.js';
import { MAX_CREDENTIAL_DESCRIPTORS } from '../../webauthn/limits.js';
import type { Answer, Login } from '../target/driver.js';
import { readSignCount } from './ceremonies.js';
import type { LoadTarget } from './open-target.js';
import type { HeldPasskey, Passkeys } from './passkeys.js';
import { type LoadCheck, MAX_LISTED } from './report.js';
import { forEachAtOnce } from './schedule.js';

interface CheckOptions {
  readonly target: LoadTarget;
  readonly passkeys: Passkeys;
  /** Maximum number of passkeys to check. If there are more, an evenly spaced selection is checked. */
  readonly most: number;
  readonly signal: AbortSignal;
}

const AT_ONCE = 10;

interface Findings {
  readonly counted: Readonly<Record<'logins' | 'lists', { checked: number; wrong: number }>>;
  /** Passkeys whose sign count was checked, and those for which the target accepted an old count again. */
  readonly counters: { readonly checked: Set<HeldPasskey>; readonly wrong: Set<HeldPasskey> };
  readonly listed: { credential_id: string; expected: string; received: string }[];
  unanswered: number;
}

/**
 * Checks that the target has kept everything it acknowledged.
 *
 * Every passkey must log in. The target must refuse the last accepted sign count if it is repeated (§7.2, step `sign-count`), unless it
 * ignores counts. If a user may register another passkey and the options exclude any passkeys, they must exclude all passkeys of this user.
 */
export async function checkKept({ target, passkeys, most, signal }: CheckOptions): Promise<LoadCheck> {
  const held = passkeys.held();
  const chosen =
    held.length <= most ? held : held.filter((_, n) => Math.floor((n * most) / held.length) !== Math.floor(((n - 1) * most) / held.length));
  const findings: Findings = {
    counted: { logins: { checked: 0, wrong: 0 }, lists: { checked: 0, wrong: 0 } },
    counters: { checked: new Set(), wrong: new Set() },
    listed: [],
    unanswered: 0,
  };
  let whole = chosen.length > 0;
  const heldBy = new Map(byUser(held).map((own) => [own[0]?.session.user, own.length]));
  // A target takes no further registration of a user who has all the passkeys that one user can have.
  const mayRegister = ([first]: readonly HeldPasskey[]) => (heldBy.get(first?.session.user) ?? 0) < (target.has.passkeys ?? Infinity);
  try {
    await forEachAtOnce(byUser(chosen).filter(mayRegister), AT_ONCE, (own) => checkList(own, findings));
    await forEachAtOnce(chosen, AT_ONCE, async (passkey) => {
      await checkCounter(target, passkey, findings);
      await checkLogin(target, passkey, findings);
    });
    await forEachAtOnce(chosen, AT_ONCE, (passkey) => checkCounter(target, passkey, findings));
  } catch (error) {
    if (!(error instanceof PasskeyError) || error.code !== 'interrupted' || !signal.aborted) throw error;
    whole = false;
  }
  const { listed, unanswered } = findings;
  const counters = { checked: findings.counters.checked.size, wrong: findings.counters.wrong.size };
  const counted = { ...findings.counted, counters };
  const wrong = Object.values(counted).some((part) => part.wrong > 0);
  const status = wrong ? 'lost' : !whole ? 'not_run' : unanswered > 0 ? 'unanswered' : 'kept';
  return { status, acknowledged: passkeys.registered, ...counted, unanswered, findings: listed };
}

function byUser(passkeys: readonly HeldPasskey[]): HeldPasskey[][] {
  const users = new Map<number, HeldPasskey[]>();
  for (const passkey of passkeys) users.set(passkey.session.user, [...(users.get(passkey.session.user) ?? []), passkey]);
  return [...users.values()];
}

/**
 * Checks that the registration options exclude every passkey of the user. Does not judge an empty list, which proves nothing, or a list of
 * maximum length, which may be cut off.
 */
async function checkList(own: readonly HeldPasskey[], findings: Findings): Promise<void> {
  const [first] = own;
  const begun = await first?.session.beginRegistration();
  if (begun?.options === undefined) {
    findings.unanswered += 1;
    return;
  }
  const listed = (begun.options.excludeCredentials ?? []).map(({ id }) => id);
  if (listed.length === 0 || listed.length >= MAX_CREDENTIAL_DESCRIPTORS) return;
  const missing = own.filter(({ credentialId }) => !listed.includes(credentialId));
  const [one] = missing;
  const { lists } = findings.counted;
  lists.checked += 1;
  if (one === undefined) return;
  lists.wrong += 1;
  note(findings, one, 'excludeCredentials names every passkey of the user', `${missing.length} of ${own.length} missing`);
}

/** Logs in again with the last sign count that the target accepted, as a cloned authenticator would. */
async function checkCounter(target: LoadTarget, passkey: HeldPasskey, findings: Findings): Promise<void> {
  const { counters } = findings;
  if (!target.refusesOldCounts || counters.wrong.has(passkey)) return;
  const { acknowledged } = passkey;
  const current = await readSignCount(passkey);
  await setSignCount(passkey, acknowledged - 1);
  const answer = await logIn(passkey, target.logins.at(-1) ?? 'named');
  await setSignCount(passkey, current);
  if (answer.outcome === 'broken' || answer.outcome === 'failed' || isPutOff(answer)) {
    findings.unanswered += 1;
    return;
  }
  counters.checked.add(passkey);
  if (answer.outcome === 'refused') return;
  counters.wrong.add(passkey);
  note(findings, passkey, `sign count ${acknowledged}, which was accepted before, is refused`, 'it was accepted again');
}

async function checkLogin(target: LoadTarget, passkey: HeldPasskey, findings: Findings): Promise<void> {
  const answer = await logIn(passkey, target.logins[0] ?? 'named');
  if (answer.outcome === 'broken' || isPutOff(answer)) {
    findings.unanswered += 1;
    return;
  }
  const { logins } = findings.counted;
  logins.checked += 1;
  if (answer.outcome === 'accepted') {
    passkey.acknowledged = await readSignCount(passkey);
    return;
  }
  logins.wrong += 1;
  note(findings, passkey, 'a passkey whose registration was accepted logs in', `${answer.outcome}: ${clause(answer.said)}`);
}

async function logIn(passkey: HeldPasskey, login: Login): Promise<Pick<Answer, 'outcome' | 'said' | 'decisive'>> {
  const visit = passkey.session.newVisit();
  const { answer, options } = await visit.beginAuthentication(login, passkey);
  if (options === undefined) return answer;
  try {
    const response = await passkey.client.get({ publicKey: options });
    return await visit.finishAuthentication({ ...response });
  } catch (error) {
    if (!(error instanceof Error) || error instanceof PasskeyError) throw error;
    // Its list of credentials does not have the passkey, or it cannot be used at all.
    return { ...answer, outcome: 'failed', said: `the client cannot use the options (${error.name}: ${error.message})` };
  }
}

/** Checks whether the target responded with 429, which means that the request must be sent again later. */
const isPutOff = ({ decisive }: Pick<Answer, 'decisive'>): boolean => decisive?.status === 429;

async function setSignCount({ store, rpId, credentialId }: HeldPasskey, signCount: number): Promise<void> {
  await store.update(rpId, decodeBase64url(credentialId), (source) => ({ ...source, signCount }));
}

function note({ listed }: Findings, { credentialId }: HeldPasskey, expected: string, received: string): void {
  if (listed.length < MAX_LISTED) listed.push({ credential_id: credentialId, expected, received });
}
