import { PasskeyError } from '../../errors.js';
import { nearest } from '../../kernel/nearest.js';
import type { CeremonyKind } from '../../webauthn/enumerations.js';
import { ALL_CASES } from '../cases/all-cases.js';
import { describeTest, NEEDS } from '../engine/case.js';
import { type AuthenticationCase, type CeremonyCase, isCeremonyCase, type RegistrationCase } from '../engine/ceremony-cases.js';
import type { TestedStep } from '../report/report.js';
import { isInBrowser, listNeeds, listRequirements, type MutationNeeds, type TriedAt, whyUnfit } from './needs.js';

/** A case of the catalogue that changes a single response, and signs it again if a signature covers the change. */
export interface Mutation {
  /** Id of the case in the catalogue, such as `login.signature-bit`. */
  readonly id: string;
  readonly ceremony: CeremonyKind;
  readonly title: string;
  /** The decision of a correct relying party on the changed response. */
  readonly expected: 'refused' | 'accepted';
  /** The step of the standard that the mutation tests. */
  readonly tests?: TestedStep;
  /** Says why the mutation matters, and what to change in a relying party that decides wrongly. */
  readonly why?: string;
  /** The error code with which our own API refuses the response. */
  readonly code?: string;
  /**
   * Conditions that a relying party must meet for `expected` to apply to it. Empty if `expected` applies to every correct relying party.
   */
  readonly requires: readonly string[];
  /** Why a correct relying party may decide differently from ours. */
  readonly disputed?: string;
  /**
   * True if the mutation can change a finished response of any authenticator, even a browser's. Otherwise it needs the private key or
   * another authenticator.
   */
  readonly inBrowser: boolean;
  readonly asks: MutationNeeds;
}

const ONE_RESPONSE: readonly CeremonyCase[] = ALL_CASES.filter(isCeremonyCase).filter(isOneResponse);

/**
 * The cases that are mutations. Our API has two endpoints for a login. If a change has a case for each endpoint, only one of these cases is
 * listed.
 */
const CASES = ONE_RESPONSE.filter(
  (each) => each.wants?.endpoint === undefined || !ONE_RESPONSE.some((other) => other !== each && shorten(other) === shorten(each)),
);

/**
 * Mutations that only use the challenge of another ceremony, by id, each with the kind of challenge. Only the server knows such challenges.
 */
const OTHER_CHALLENGES: Readonly<Record<string, OtherChallenge>> = {
  'register.challenge-used': { of: 'registration', state: 'used' },
  'login.challenge-used': { of: 'authentication', state: 'used' },
  'register.challenge-expired': { of: 'registration', state: 'expired' },
  'login.challenge-expired': { of: 'authentication', state: 'expired' },
  'register.challenge-of-login': { of: 'authentication', state: 'any' },
  'login.challenge-of-registration': { of: 'registration', state: 'any' },
};

/** Describes which other challenge a mutation uses instead of the given one. */
export interface OtherChallenge {
  readonly of: CeremonyKind;
  /** State of the other challenge. `used`: a response to it was accepted. `expired`: it was never used, and its lifetime is over. */
  readonly state: 'used' | 'expired' | 'any';
}

const WITH_OTHER_CHALLENGE: readonly CeremonyCase[] = ALL_CASES.filter(isCeremonyCase).filter(({ id }) =>
  Object.hasOwn(OTHER_CHALLENGES, id),
);

/**
 * Checks whether a case consists of a single ceremony whose outcome depends only on its response, and whether the case changes that
 * response.
 */
function isOneResponse(each: CeremonyCase): boolean {
  const { setup, needs = [] } = each;
  if (setup !== undefined || needs.some((need) => need !== 'api')) return false;
  if (each.severalCeremonies === true || each.beforeSending !== undefined) return false;
  if (each.edits !== undefined || each.rewrite !== undefined || each.options !== undefined) return true;
  if (each.ceremony === 'registration') return each.sentBy === undefined && each.members === undefined && each.browser !== undefined;
  // What the authenticator is like was settled when the credential was made.
  return each.browser?.page !== undefined || each.browser?.user !== undefined;
}

function toMutation(each: CeremonyCase): Mutation {
  const { id, title, expected, why, disputed, needs = [], ceremony } = each;
  const tests = describeTest(each);
  const ours = disputed ?? (needs.includes('api') ? NEEDS.api : undefined);
  return {
    id,
    ceremony,
    title,
    expected: expected.outcome === 'verified' ? 'accepted' : 'refused',
    ...(tests && { tests }),
    ...(why !== undefined && { why }),
    ...(expected.outcome === 'rejected' && { code: expected.code }),
    requires: listRequirements(each),
    ...(ours !== undefined && { disputed: ours }),
    inBrowser: isInBrowser(each),
    asks: listNeeds(each),
  };
}

/** Lists every mutation, or those of one ceremony, in the order of the catalogue. */
export function listMutations(ceremony?: CeremonyKind): readonly Mutation[] {
  return listCases(ceremony).map(toMutation);
}

/** Lists the mutations that prove nothing at this server, as a map from id to reason. */
export function listUnfit(at: TriedAt): ReadonlyMap<string, string> {
  return new Map(
    [...CASES, ...WITH_OTHER_CHALLENGE].flatMap((each) => {
      const why = whyUnfit(each, at);
      return why === undefined ? [] : [[each.id, why]];
    }),
  );
}

/** Lists the mutations that need another challenge of the server. {@link findOtherChallenge} describes that challenge. */
export function listOtherChallenges(): readonly Mutation[] {
  return WITH_OTHER_CHALLENGE.map(describeOtherChallenge);
}

/** Finds a mutation that uses another challenge of the server. Undefined if no such mutation has this id. */
export function findOtherChallenge(
  id: string,
  ceremony: CeremonyKind,
): { readonly mutation: Mutation; readonly challenge: OtherChallenge } | undefined {
  const found = WITH_OTHER_CHALLENGE.find((each) => each.ceremony === ceremony && (each.id === id || shorten(each) === id));
  const challenge = found && OTHER_CHALLENGES[found.id];
  return found && challenge && { mutation: describeOtherChallenge(found), challenge };
}

const REMEMBERED = {
  used: 'it remembers the challenge of a ceremony that has been answered',
  expired: 'it remembers the challenge of a ceremony that has expired unanswered',
  any: 'it remembers the challenge of a ceremony of the other kind',
} as const;

function describeOtherChallenge(each: CeremonyCase): Mutation {
  const { state = 'any' } = OTHER_CHALLENGES[each.id] ?? {};
  // The challenge is checked before the signature.
  return { ...toMutation(each), requires: [REMEMBERED[state]], inBrowser: true };
}

/**
 * Finds a mutation by its id.
 *
 * @param id the complete id, or the part after its first dot, such as `signature-bit`
 * @throws PasskeyError `usage` for an unknown id (the message names similar ones), and for a short id that exists for both ceremonies.
 */
export function findMutation(id: string, ceremony?: CeremonyKind): Mutation {
  return toMutation(findMutationCase(id, ceremony));
}

/**
 * Finds the case of a mutation by its complete or shortened id.
 *
 * @throws PasskeyError `usage` for an unknown id, and for a shortened id that exists for both ceremonies.
 */
export function findMutationCase(id: string, ceremony: 'registration'): RegistrationCase;
export function findMutationCase(id: string, ceremony: 'authentication'): AuthenticationCase;
export function findMutationCase(id: string, ceremony?: CeremonyKind): CeremonyCase;
export function findMutationCase(id: string, ceremony?: CeremonyKind): CeremonyCase {
  const found = listCases(ceremony).filter((each) => each.id === id || shorten(each) === id);
  const [first] = found;
  if (first === undefined) throw unknownMutation(id, ceremony);
  if (found.length > 1) {
    const ids = found.map((each) => each.id).join(', ');
    throw new PasskeyError('usage', `"${id}" is a mutation of a registration and of an authentication. Name one of them: ${ids}.`);
  }
  return first;
}

function listCases(ceremony: CeremonyKind | undefined): readonly CeremonyCase[] {
  return ceremony === undefined ? CASES : CASES.filter((each) => each.ceremony === ceremony);
}

function shorten({ id }: CeremonyCase): string {
  return id.slice(id.indexOf('.') + 1);
}

function unknownMutation(id: string, ceremony: CeremonyKind | undefined): PasskeyError {
  const elsewhere = CASES.find((each) => each.id === id || shorten(each) === id);
  if (elsewhere !== undefined && ceremony !== undefined) {
    const other = elsewhere.ceremony;
    return new PasskeyError(
      'usage',
      `Expected a mutation of ${A[ceremony]}, got "${id}" of ${A[other]}. Choose another, or give ${OPTIONS[other]}.`,
    );
  }
  if (WITH_OTHER_CHALLENGE.some((each) => each.id === id || shorten(each) === id)) {
    return new PasskeyError(
      'usage',
      `The mutation "${id}" uses the challenge of another ceremony, which only its server knows. Ask \`passkey serve\` for it: POST /dev/answer with "tamper": "${id}".`,
    );
  }
  const known = [...listCases(ceremony), ...WITH_OTHER_CHALLENGE.filter((each) => ceremony === undefined || each.ceremony === ceremony)];
  const meant = nearest(id, id.includes('.') ? known.map((each) => each.id) : known.map(shorten));
  const advice = meant.length > 0 ? `Did you mean ${meant.join(', ')}?` : '`passkey credential answer --list-tampers` lists them.';
  return new PasskeyError('usage', `There is no mutation "${id}"${ceremony === undefined ? '' : ` of ${A[ceremony]}`}. ${advice}`);
}

const A = { registration: 'a registration', authentication: 'an authentication' } as const;
const OPTIONS = { registration: 'creation options', authentication: 'request options' } as const;
