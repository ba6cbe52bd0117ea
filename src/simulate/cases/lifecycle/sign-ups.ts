import { type Actor, prepareActor } from '../../engine/attempts.js';
import type { Case } from '../../engine/case.js';
import { flowCase } from '../../engine/flows.js';
import { describeOutcome, readRaceDeviation, refused } from '../../engine/outcome.js';
import { notApplicable } from '../../engine/scenario.js';
import type { Mismatch } from '../../report/report.js';
import type { Session } from '../../target/driver.js';
import { compareOwner, describeLack } from '../passkeys.js';

const REFUSED = refused('unauthenticated', undefined, 409);

type Lacks = NonNullable<Case['lacks']>;
type Offers = Parameters<Lacks>[0];

/** Says why a case does not apply: the profile has no whoami, or its accounts need more than the user's name. */
const lacksSignUp = ({ offers, opensAccounts }: Offers): ReturnType<Lacks> => {
  if (!offers('whoami')) return describeLack('whoami');
  return opensAccounts ? undefined : 'no account request of the profile opens an account with only the user’s name';
};

/** Checks that another person, who knows only the user's address, does not see the user's passkey. */
async function compareTaken({ context, passkey }: Actor, visit: Session, by: string): Promise<readonly Mismatch[]> {
  const mismatches = await compareOwner(context, visit, { id: passkey.credentialId, by: 'the user of that address' });
  return mismatches.map((mismatch) => ({ ...mismatch, at: `${mismatch.at} ${by}` }));
}

const KNOWN = flowCase({
  id: 'lifecycle.sign-up-known-address',
  title: 'a sign-up with the address of a user who has an account, and another password',
  why: 'A sign-up that finds an existing account by its address, and continues as its user, gives the account to anyone who knows the address. Let a sign-up create an account or refuse, in one step, and never sign in to an existing account.',
  controls: ['register.default'],
  expected: REFUSED,
  lacks: lacksSignUp,
  async run(context) {
    const reason = lacksSignUp(context.driver);
    if (reason !== undefined) throw notApplicable(reason);
    const victim = await prepareActor(context, await context.session(1));
    if ((await compareTaken(victim, victim.session.newVisit(), '')).length > 0) {
      throw notApplicable('the registration options list the passkeys of a user for any client');
    }
    const impostor = victim.session.newImpostor();
    const { answer } = await impostor.signUp();
    if (answer.outcome === 'failed') return [{ what: 'the sign-up with a known address', answer, expected: REFUSED }];
    const signedUp = await compareTaken(victim, impostor, 'after the sign-up');
    if (signedUp.length > 0 || !context.driver.offers('password')) return [{ mismatches: signedUp }];
    // The new password may have replaced that of the user.
    const visit = impostor.newVisit();
    await visit.enter('password');
    return [{ mismatches: await compareTaken(victim, visit, 'after a sign-in with the password of the sign-up') }];
  },
});

const isSignedIn = async (visit: Session): Promise<boolean> => (await visit.whoami())?.outcome === 'accepted';

const AT_ONCE = flowCase({
  id: 'lifecycle.sign-ups-at-once',
  title: 'two sign-ups with one new address at the same moment',
  why: 'If you look up the address before you write the account, two requests can both find it free. Then one address has two accounts, or two people share one. Let a unique index of the database decide.',
  controls: ['register.default'],
  expected: REFUSED,
  lacks: lacksSignUp,
  async run(context) {
    const reason = lacksSignUp(context.driver);
    if (reason !== undefined) throw notApplicable(reason);
    const first = (await context.session(1)).newStranger();
    const second = first.newImpostor();
    const answers = (await Promise.all([first.signUp(), second.signUp()])).map(({ answer }) => answer);
    if (answers.some(({ outcome }) => outcome !== 'accepted')) return [];
    if (!(await isSignedIn(first)) || !(await isSignedIn(second))) return [];
    // Names need not be unique, and a sign-up may answer all alike.
    const third = first.newImpostor();
    const again = await third.signUp();
    if (again.answer.outcome !== 'refused' && (await isSignedIn(third))) return [];
    const received = answers.map(describeOutcome).join('; ');
    return [{ mismatches: [{ at: 'two sign-ups at once', expected: 'one accepted', received, deviation: readRaceDeviation(answers, 1) }] }];
  },
});

/** Minimum length of a recovery code to search for. Shorter codes occur in other text by chance. */
const MIN_CODE = 6;

const lacksRecovery: Lacks = (target) => lacksSignUp(target) ?? (target.offers('recover') ? undefined : describeLack('recover'));

const SHOWN = flowCase({
  id: 'lifecycle.shown-recovery-code',
  title: 'the recovery code that is sent to the user, in the answer to a sign-up or to a recovery request',
  why: 'A code sent to the user proves that its reader has access to the mailbox. If an HTTP answer contains it, any client can read it. Leave it out of every answer, and list the members of an answer one by one instead of sending a whole database row.',
  controls: ['register.default', 'lifecycle.recovery'],
  runsAlone: true,
  expected: REFUSED,
  lacks: lacksRecovery,
  async run(context) {
    const reason = lacksRecovery(context.driver);
    if (reason !== undefined) throw notApplicable(reason);
    const user = (await context.session(1)).newStranger();
    const signedUp = await user.signUp();
    if (signedUp.answer.outcome !== 'accepted') throw notApplicable(`a second user cannot sign up (${signedUp.answer.said})`);
    const { answer, token, texts } = await user.newVisit().beginRecovery();
    if (answer.outcome !== 'accepted' || token === undefined) throw notApplicable('the profile’s recover requests take no recoveryToken');
    const isShown = (all: readonly string[]) => token.length >= MIN_CODE && all.some((text) => text.includes(token));
    // A profile that takes it from the account says that users are given it there.
    const ofSignUp = isShown(signedUp.texts) && !Object.values(signedUp.answer.taken).includes(token);
    if (!ofSignUp && !isShown(texts)) return [];
    const visit = user.newVisit();
    await visit.enter('recover', { recoveryToken: token });
    if (!(await isSignedIn(visit))) return [];
    const at = ofSignUp ? 'the answer to the sign-up' : 'the answer to the beginning of the recovery';
    const deviation = { kind: 'accepted', signed_in: { user: 'owner', known_by: 'whoami' } } as const;
    const received = 'the code, with which the recovery signs in';
    return [{ mismatches: [{ at, expected: 'without the code that is sent to the user', received, deviation }] }];
  },
});

/** Cases in which a sign-up might give access to another user's account. */
export const SIGN_UPS: readonly Case[] = [KNOWN, AT_ONCE, SHOWN];
