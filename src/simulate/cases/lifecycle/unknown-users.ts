import { isObject, parseUntrustedJson } from '../../../kernel/json-value.js';
import type { Case } from '../../engine/case.js';
import { lacking } from '../../engine/demands.js';
import { expectTrue } from '../../engine/outcome.js';
import { notApplicable } from '../../engine/scenario.js';
import type { Answer, Session } from '../../target/driver.js';
import { lifecycleCases, type Rule, type Stage, type Step } from './stage.js';

const HIDDEN: Rule = { key: 'unknownUsers', decide: ({ unknownUsers }) => (unknownUsers === 'hidden' ? 'refused' : 'accepted') };

const WHY =
  'If options differ, they tell an attacker which addresses have an account (§14.6.2). Answer an unknown name with options of the same form. Derive as many credentials as users have from a secret and the name, so that they stay the same.';

/** Reads a property of the server's response that must be equal for known and unknown users. */
type Read = (answer: Answer) => unknown;

const readStatus: Read = ({ outcome, decisive }) => `${outcome} ${decisive?.status ?? ''}`;

/**
 * Describes the structure of a JSON value: each value is replaced by its type, and each list by the distinct structures of its elements.
 */
function describeForm(value: unknown): unknown {
  if (Array.isArray(value)) return [...new Set(value.map((each) => JSON.stringify(describeForm(each))))];
  if (!isObject(value)) return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, describeForm(member)]));
}

const sorted = (value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value)
          .toSorted(([one], [other]) => (one < other ? -1 : 1))
          .map(([name, member]) => [name, sorted(member)]),
      )
    : value;

const readShape: Read = ({ json }) => JSON.stringify(sorted(describeForm(json)));

/** Reads the names of all members in the order in which they were sent. */
const readOrder: Read = ({ json }) =>
  [...(JSON.stringify(describeForm(json)) ?? '').matchAll(/\\*"([\w$]+)\\*":/g)].map(([, name]) => name);

function listIds({ json }: Answer): readonly string[] {
  return [...(JSON.stringify(json) ?? '').matchAll(/"id":"([^"]+)"/g)].map(([, id = '']) => id);
}

/** Makes a check that the server responds alike to a known and an unknown user. `read` chooses the property to compare. */
function alike(what: string, ask: (visit: Session, stage: Stage) => Promise<Answer>, read: Read): Step['run'] {
  return async (stage) => {
    const { session } = await stage.actor('user');
    const [known, unknown] = [await ask(session.newVisit(), stage), await ask(session.newStranger(), stage)];
    const [expected, received] = [read(known), read(unknown)];
    return expectTrue(
      what,
      `as for a user who exists: ${JSON.stringify(expected)}`,
      received,
      JSON.stringify(expected) === JSON.stringify(received),
    );
  };
}

async function askOptions(visit: Session, { context: { driver } }: Stage): Promise<Answer> {
  const reason = lacking({ login: 'named' }, driver.has);
  if (reason !== undefined) throw notApplicable(reason);
  if (driver.reads('registered', 'authenticationOptions')) throw notApplicable('a login at the target names a passkey, not a user');
  const { answer } = await visit.beginAuthentication('named');
  if (answer.absent !== undefined) {
    throw notApplicable(`a login identifies its user by ${answer.absent}, which does not exist until the account has been created`);
  }
  return answer;
}

const options = (what: string, read: Read): Step => ({ lists: [], refuses: true, run: alike(what, askOptions, read) });

/**
 * Requests options twice. If the server lists the same credential IDs both times for a known user, it must also do so for an unknown user.
 */
const SAME_IDS: Step = {
  lists: [],
  refuses: true,
  async run(stage) {
    const { session } = await stage.actor('user');
    const readTwice = async (visit: Session) =>
      JSON.stringify(listIds(await askOptions(visit, stage))) === JSON.stringify(listIds(await askOptions(visit, stage)));
    const [known, unknown] = [await readTwice(session.newVisit()), await readTwice(session.newStranger())];
    return expectTrue('allowCredentials, asked twice', known ? 'the same' : 'others', unknown ? 'the same' : 'others', known === unknown);
  },
};

/** Reads the responses to a recovery request. Leaves out the last exchange, which only fetches the message sent to the user. */
const readAsked: Read = ({ exchanges }) =>
  exchanges
    .slice(0, Math.max(1, exchanges.length - 1))
    .map(({ status, received }) => [status, sorted(describeForm(parseUntrustedJson(received)))]);

async function askRecovery(visit: Session): Promise<Answer> {
  const { answer } = await visit.beginRecovery();
  if (answer.exchanges.length === 0) throw notApplicable('the profile’s recover requests take no recoveryToken');
  return answer;
}

const asksRecovery: Step = {
  lists: ['recover'],
  refuses: true,
  run: alike('the beginning of a recovery', askRecovery, readAsked),
};

const entersPassword: Step = {
  lists: ['password'],
  refuses: true,
  run: alike(
    'a sign-in with a wrong password',
    (visit) => visit.enter('password', { password: `${visit.password}x` }),
    (answer) => [readStatus(answer), readShape(answer)],
  ),
};

/** Cases in which the server must not reveal whether a user exists. Response times are not compared, because they vary by chance. */
export const UNKNOWN_USERS: readonly Case[] = lifecycleCases(
  WHY,
  {
    'unknown-user': ['options for a user who does not exist: the status', [options('the status', readStatus)]],
    'unknown-user-shape': ['options for a user who does not exist: members and their types', [options('the members', readShape)]],
    'unknown-user-order': [
      'options for a user who does not exist: the order of the members',
      [options('the order of the members', readOrder)],
    ],
    'unknown-user-count': [
      'options for a user who does not exist: the number of credentials',
      [options('the number of credentials', (answer) => listIds(answer).length > 0)],
    ],
    'unknown-user-again': ['options for a user who does not exist, requested twice: the credentials', [SAME_IDS]],
    'unknown-user-recovery': ['a recovery for a user who does not exist', [asksRecovery]],
    'unknown-user-password': ['a wrong password for a user who does not exist', [entersPassword]],
  },
  HIDDEN,
);
