import { nearest } from '../../kernel/nearest.js';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '../../webauthn/json.js';
import type { Asks } from './driver.js';
import type { Expression } from './expression.js';
import { listNames } from './path.js';
import { type GateList, listRequests, type Phase, type TargetProfile } from './profile-schema.js';

/** A test user. Its members are those of the variable `user` in profiles. */
export interface TestUser {
  /** Number of the user in this run, from 1. */
  readonly number: number;
  readonly name: string;
  readonly email: string;
  readonly displayName: string;
  readonly password: string;
  /** Bearer token from `--token`; undefined if none was given. */
  readonly token: string | undefined;
}

/**
 * Members that a variable has. `any`: any members. `texts`: any members, all of which are strings. Otherwise: exactly the listed members.
 */
type Members = 'any' | 'texts' | { readonly [name: string]: Members };

/** Members of a string, number or boolean: it has none. */
const NONE: Members = {};

type ResponseMember = keyof RegistrationResponseJSON['response'] | keyof AuthenticationResponseJSON['response'];

const CREDENTIAL = {
  id: NONE,
  rawId: NONE,
  type: NONE,
  authenticatorAttachment: NONE,
  clientExtensionResults: 'any',
  response: {
    clientDataJSON: NONE,
    attestationObject: NONE,
    authenticatorData: NONE,
    transports: 'any',
    publicKey: NONE,
    publicKeyAlgorithm: NONE,
    signature: NONE,
    userHandle: NONE,
  } satisfies Record<ResponseMember, Members>,
} satisfies Record<keyof RegistrationResponseJSON | keyof AuthenticationResponseJSON, Members>;

const VARIABLES = {
  url: NONE,
  origin: NONE,
  rpId: NONE,
  run: NONE,
  user: { name: NONE, email: NONE, displayName: NONE, password: NONE, number: NONE, handle: NONE, token: NONE } satisfies Record<
    keyof TestUser | 'handle',
    Members
  >,
  env: 'texts',
  credential: CREDENTIAL,
  registered: { credentialId: NONE, newLabel: NONE },
  named: NONE,
  discoverable: NONE,
  ask: {
    userVerification: NONE,
    attestation: NONE,
    residentKey: NONE,
    algorithms: 'any',
    extensions: 'any',
    origin: NONE,
    endpoint: NONE,
  } satisfies Record<keyof Asks, Members>,
  time: NONE,
  cookie: 'texts',
} as const satisfies Record<string, Members>;

/** Name of a variable that every profile has. */
export type GivenVariable = keyof typeof VARIABLES;

/** Names of the variables that every profile has. */
export const GIVEN: readonly string[] = Object.keys(VARIABLES);

/** Names in `take`, for each list of requests, whose values have a special meaning for this program and do not become variables. */
export const SPECIAL_TAKES: Readonly<Partial<Record<Phase | GateList, readonly string[]>>> = {
  registrationOptions: ['code', 'step'],
  register: ['code', 'step'],
  authenticationOptions: ['code', 'step'],
  authenticate: ['code', 'step'],
  whoami: ['user'],
  list: ['credentialIds', 'labels'],
};

export const isSpecialTake = (list: Phase | GateList, name: string): boolean => SPECIAL_TAKES[list]?.includes(name) === true;

/** Lists of requests that can run during a ceremony. `whoami` can also run at other times. */
const CEREMONY: readonly Phase[] = ['registrationOptions', 'register', 'authenticationOptions', 'authenticate', 'stepUp', 'whoami'];

/** For variables that do not have a value everywhere: the lists of requests in which the variable has one. */
const ONLY_IN: Readonly<Record<string, readonly (Phase | GateList)[]>> = {
  rpId: CEREMONY,
  'user.handle': ['register', 'whoami'],
  credential: ['register', 'authenticate', 'stepUp'],
  'credential.response.attestationObject': ['register'],
  'credential.response.transports': ['register'],
  'credential.response.publicKey': ['register'],
  'credential.response.publicKeyAlgorithm': ['register'],
  'credential.response.signature': ['authenticate', 'stepUp'],
  'credential.response.userHandle': ['authenticate', 'stepUp'],
  options: ['register', 'authenticate', 'stepUp', 'whoami'],
  registered: ['authenticationOptions', 'authenticate', 'stepUp', 'whoami', 'rename', 'remove', 'cleanup'],
  'registered.newLabel': ['rename'],
  ...Object.fromEntries(Object.keys(VARIABLES.ask).map((name) => [`ask.${name}`, CEREMONY])),
};

/**
 * For each list of requests, the other lists that can read the values it takes from responses. The values of a list that is missing here
 * can be read only in that list.
 */
const TAKEN_FOR: Readonly<Partial<Record<Phase | GateList, readonly (Phase | GateList)[] | 'session'>>> = {
  account: 'session',
  registrationOptions: ['register', 'whoami'],
  register: 'session',
  authenticationOptions: ['authenticate', 'whoami'],
  authenticate: 'session',
  password: 'session',
  stepUp: 'session',
  recover: 'session',
};

/** An expression that reads a variable, and its position in a profile. */
export interface UsedVariable {
  readonly phase: Phase | GateList;
  /** Index of the request in its list. */
  readonly index: number;
  /** Member of the request that contains the expression, e.g. `json`. */
  readonly member: string;
  readonly pointer: string;
  readonly expression: Expression;
  /** Whether the expression is inside an `each`, where the variable `item` exists. */
  readonly inEach: boolean;
}

/** Checks the use of a variable and describes the mistake in it. Undefined if there is none. */
type Check = (used: UsedVariable) => string | undefined;

/**
 * Prepares the check of a profile's variables. Each variable and member must exist. If an expression needs a value, the variable must be
 * able to have one at that point, and not be set only by a later request.
 */
export function createVariableCheck(profile: TargetProfile, all: readonly UsedVariable[]): Check {
  const isUnknown = createUnknownCheck(profile);
  const isValueless = createValueCheck(profile, all);
  return (used) => isUnknown(used) ?? isValueless(used);
}

/** A request that takes a value from its response. */
interface Taker {
  readonly phase: Phase | GateList;
  readonly index: number;
}

/** Finds the requests that take values from responses. The result maps each value's name to the requests that take it. */
function findTakers(profile: TargetProfile): ReadonlyMap<string, readonly Taker[]> {
  const takers = new Map<string, Taker[]>();
  for (const [phase, requests] of listRequests(profile)) {
    for (const [index, { take = {} }] of requests.entries()) {
      const names = Object.keys(take).filter((name) => !isSpecialTake(phase, name));
      for (const name of names) takers.set(name, [...(takers.get(name) ?? []), { phase, index }]);
    }
  }
  return takers;
}

function createUnknownCheck(profile: TargetProfile): Check {
  const takers = [...findTakers(profile)];
  const anything = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'any'] as const));
  const fromRegister = takers.filter(([, by]) => by.some(({ phase }) => phase === 'register')).map(([name]) => name);
  const variables = {
    ...Object.fromEntries(Object.keys(profile.variables ?? {}).map((name) => [name, NONE] as const)),
    ...anything(['options', ...takers.map(([name]) => name)]),
    ...VARIABLES,
    registered: { ...anything(fromRegister), ...VARIABLES.registered },
  };
  return ({ expression: { variable, path }, inEach }) => {
    const known: Members = inEach ? { ...variables, item: 'any' } : variables;
    let members: Members = known;
    for (const [depth, step] of path.entries()) {
      if (members === 'any') return undefined;
      const next: Members | undefined = step.kind === 'member' ? memberOf(members, step.name) : undefined;
      if (next === undefined) {
        const names = listNames(path);
        const before = names.slice(0, depth);
        const meant = step.kind === 'member' ? suggest({ names, before, members, all: known }) : '';
        return `${describeMistake(members, before, variable)}${meant}`;
      }
      members = next;
    }
    return undefined;
  };
}

interface Misspelled {
  readonly names: readonly string[];
  /** Leading parts of the misspelled name that are correct. */
  readonly before: readonly string[];
  /** Members that exist where the first wrong part of the name stands. */
  readonly members: Exclude<Members, 'any'>;
  readonly all: Members;
}

/** Suggests a correction for a misspelled variable: the most similar variable, otherwise the most similar member. */
function suggest({ names, before, members, all }: Misspelled): string {
  const whole = names.join('.');
  const anywhere = nearest(whole, listPaths(all)).filter((path) => !`${whole}.`.startsWith(`${path}.`));
  const beside = nearest(names[before.length] ?? '', Object.keys(members)).map((name) => [...before, name].join('.'));
  const [first] = [...anywhere, ...beside];
  return first === undefined ? '' : ` Did you mean {${first}}?`;
}

const memberOf = (members: Exclude<Members, 'any'>, name: string): Members | undefined =>
  members === 'texts' ? NONE : Object.hasOwn(members, name) ? members[name] : undefined;

function createValueCheck(profile: TargetProfile, all: readonly UsedVariable[]): Check {
  const takers = findTakers(profile);
  // A request with a condition may be left out until a later one has taken the value.
  const guarded = new Set(all.filter(isOwnCondition).map(placeOf));
  return (used) => {
    const { expression, phase } = used;
    if (expression.mayBeAbsent || isCondition(used) || guarded.has(placeOf(used))) return undefined;
    const names = listNames(expression.path);
    const [name = '', member = ''] = names;
    const got = `got {${expression.variable}}`;
    const optional = `write {${expression.variable}?} if it may be absent`;
    const from = takers.get(name) ?? [];
    const begins = takers.get('options')?.some((taker) => taker.phase === phase && taker.index < used.index) === true;
    if (name === 'credential' && phase === 'stepUp' && !begins) {
      return `Expected an earlier request of stepUp that takes "options"; ${got}, which is the response to them.`;
    }
    if (Object.hasOwn(profile.variables ?? {}, name) || from.some((taker) => reaches(taker, used))) return undefined;
    const limits = names.flatMap((_, at) => {
      const lists = ONLY_IN[names.slice(0, at + 1).join('.')];
      return lists === undefined ? [] : [lists];
    });
    const limit = limits.find((lists) => !lists.includes(phase));
    if (from.length > 0 && (limits.length === 0 || limit !== undefined)) {
      return `Expected a value that an earlier request takes; ${got}, which is taken by ${from.map(placeOf).join(' and ')} (${optional}).`;
    }
    if (limit !== undefined) {
      return `Expected a variable that has a value in ${phase}; ${got}, which has one in ${limit.join(', ')} (${optional}).`;
    }
    const asks: readonly string[] = profile.has?.asks ?? [];
    if (name !== 'ask' || member === '' || asks.includes(member)) return undefined;
    return `Expected "${member}" in "asks" of "has"; ${got}, which has no value otherwise (${optional}).`;
  };
}

const placeOf = ({ phase, index }: Taker): string => `/${phase}/${index}`;

const isCondition = ({ member }: UsedVariable): boolean => member === 'if' || member === 'unless';

/**
 * Whether the expression is a condition on a value that the profile itself takes from a response. Such a value may differ each time the
 * list runs.
 */
const isOwnCondition = (used: UsedVariable): boolean => isCondition(used) && !GIVEN.includes(listNames(used.expression.path)[0] ?? '');

/** Whether a value that one request takes may exist at the point where an expression uses it. */
function reaches(taker: Taker, { phase, index, member }: UsedVariable): boolean {
  if (taker.phase === phase) return taker.index < index || (taker.index === index && (member === 'accept' || member === 'refuse'));
  const lists = TAKEN_FOR[taker.phase] ?? [];
  return lists === 'session' ? phase !== 'account' : lists.includes(phase);
}

function describeMistake(members: Exclude<Members, 'any'>, before: readonly string[], variable: string): string {
  const got = `got {${variable}}.`;
  const whole = before.join('.');
  if (members === 'texts') return `Expected a name after "${whole}"; ${got}`;
  const names = Object.keys(members).toSorted().join(', ');
  if (names !== '') {
    return `Expected ${whole === '' ? 'a variable that the profile has or takes' : `a member of "${whole}"`}; ${got} Available: ${names}.`;
  }
  const [name = ''] = before;
  const dots = before.length > 1 && memberOf(VARIABLES, name) === 'texts' ? ` Write ${name}["a.b"] for a name with a dot.` : '';
  return `Expected nothing after "${whole}", which has no members; ${got}${dots}`;
}

/** Lists the paths of all variables and of all their members. */
const listPaths = (members: Members): string[] =>
  typeof members === 'string'
    ? []
    : Object.entries(members).flatMap(([name, inner]) => [name, ...listPaths(inner).map((path) => `${name}.${path}`)]);
