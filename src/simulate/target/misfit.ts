import { escapePointer, splitPointer } from '../../kernel/json-location.js';
import { asObject, isObject, type JsonObject } from '../../kernel/json-value.js';
import { BODY_KINDS } from './body.js';
import type { Answer } from './driver.js';
import { shorten } from './exchange.js';
import { buildCreation, buildRequest, isCreation } from './page-options.js';
import { namePlace } from './place.js';
import type { Misfit } from './probe-report.js';
import { PHASES, type Phase, type ProfileRequest, type TargetProfile } from './profile-schema.js';
import { findParent, lastKey, listLeaves } from './recording/leaves.js';
import { jsonSource } from './recording/sources.js';
import { GIVEN, SPECIAL_TAKES } from './variables.js';

/** A profile together with the positions of its parts in the file, for messages. */
export interface Located {
  readonly profile: TargetProfile;
  /** Names the position in the profile's file to which a JSON Pointer points. */
  readonly where: (pointer: string) => string;
}

type Advice = Omit<Misfit, 'place' | 'line'>;

/** Finds the line of the profile that explains why an honest request was not accepted. */
export function describeMisfit(located: Located, phase: Phase, answer: Answer): Misfit {
  return placeAdvice(located, adviceFor(located.profile, phase, answer));
}

/** A finished ceremony whose response contains a deliberate fault, so that no relying party may accept it. */
export interface Forgery {
  readonly phase: 'register' | 'authenticate';
  /** The part of the response that was changed. */
  readonly changed: 'challenge' | 'signature';
  readonly answer: Answer;
}

/** Finds the line of the profile that explains why a forged credential was not refused. */
export function forgeryMisfit(located: Located, { phase, changed, answer }: Forgery): Misfit {
  return placeAdvice(located, {
    pointer: memberAt(located.profile, answer.at ?? `/${phase}`, ['accept', 'refuse']),
    expected: `a refusal, because the ${changed} was changed`,
    received: answer.said,
    change: answer.outcome === 'failed' ? FAILED_CHANGE : acceptedChange(located.profile, { phase, changed, answer }),
  });
}

const FAILED_CHANGE =
  'The same request was accepted before the change. If this is how your server refuses, describe the response in "refuse": { "status": 500, "json PATH": "…" }; otherwise, the server fails on invalid input.';

function acceptedChange({ whoami = [] }: TargetProfile, { phase, changed, answer }: Forgery): string {
  const asked = phase === 'authenticate' && whoami.length > 0;
  if (asked && answer.at?.startsWith('/whoami/') === true) {
    return `The login was refused, but whoami was accepted afterwards. Either whoami also accepts users who are not signed in: then describe in "accept" of whoami a response that only signed-in users get. Or a user was signed in, and the server does not check ${changed}s.`;
  }
  const compare = `Compare this response with that of the ${phase === 'register' ? 'registration' : 'login'} before it, and describe in "accept" or "refuse" how they differ.`;
  if (phase === 'register') return `${compare} If they are the same, the server does not check ${changed}s.`;
  if (asked) return `${compare} whoami says that a user is signed in: if that is true, the server does not check ${changed}s.`;
  return `${compare} If they do not differ, add "whoami". If the responses are the same and a user is signed in, the server does not check ${changed}s.`;
}

/** Reports that the target's options name passkeys even though the request should not have told the target who the user is. */
export function namedMisfit(located: Located, answer: Answer): Misfit {
  return placeAdvice(located, {
    pointer: memberAt(located.profile, answer.at ?? '/authenticationOptions', [...BODY_KINDS, 'request']),
    expected: 'options without allowCredentials, because a discoverable login does not say who logs in',
    received: 'options that list the passkeys of a user',
    change:
      'Write two requests: one with "if": "named" that says who logs in, and one with "unless": "named" that does not. If your server always needs to know the user, put "logins": ["named"] into "has".',
  });
}

/** Reports a mistake in the profile that does not show in the response to any single request. */
export function misfitAt(located: Located, advice: Advice): Misfit {
  return placeAdvice(located, advice);
}

/**
 * Lists JSON Pointers to the `take` entries that found no value even though their list of requests was accepted. Ignores requests with a
 * condition, because they may have been skipped.
 */
export function emptyTakes({ profile }: Located, phase: Phase, { taken }: Answer): string[] {
  return (profile[phase] ?? []).flatMap((request, index) => {
    if (request.if !== undefined || request.unless !== undefined) return [];
    const names = Object.keys(request.take ?? {}).filter(
      (name) => taken[name] === undefined && SPECIAL_TAKES[phase]?.includes(name) !== true,
    );
    return names.map((name) => `/${phase}/${index}/take/${escapePointer(name)}`);
  });
}

/**
 * Finds a `take` entry in `register` that found no value even though `cleanup` needs one, and returns its JSON Pointer. Undefined if there
 * is none.
 */
export function missedTake({ register, cleanup = [] }: TargetProfile, taken: JsonObject): string | undefined {
  const written = JSON.stringify(cleanup);
  for (const [index, { take = {} }] of register.entries()) {
    const name = Object.keys(take).find((each) => taken[each] === undefined && written.includes(`registered.${each}`));
    if (name !== undefined) return `/register/${index}/take/${escapePointer(name)}`;
  }
  return undefined;
}

function placeAdvice({ profile, where }: Located, advice: Advice): Misfit {
  const value = findValue(profile, advice.pointer);
  return { ...advice, place: where(advice.pointer), line: value === undefined ? '' : shorten(JSON.stringify(value)) };
}

function findValue(profile: TargetProfile, pointer: string): unknown {
  return splitPointer(pointer).reduce<unknown>(
    (at, token) => (Array.isArray(at) ? at[Number(token)] : isObject(at) ? at[token] : undefined),
    profile,
  );
}

/**
 * Returns a pointer to the first of the given members that the request has. If it has none of them, returns a pointer to the request
 * itself.
 */
function memberAt(profile: TargetProfile, pointer: string, members: readonly (keyof ProfileRequest)[]): string {
  const request = asObject(findValue(profile, pointer));
  const member = members.find((name) => request[name] !== undefined);
  return member === undefined ? pointer : `${pointer}/${member}`;
}

function adviceFor(profile: TargetProfile, phase: Phase, answer: Answer): Advice {
  const pointer = answer.at ?? `/${phase}`;
  if (answer.absent !== undefined) return absentAdvice(profile, pointer, answer.absent);
  if (answer.outcome === 'broken') {
    return { pointer, expected: 'an answer', received: answer.said, change: 'Check --url, and that the server is running.' };
  }
  const status = answer.decisive?.status;
  const isOptions = phase === 'registrationOptions' || phase === 'authenticationOptions';
  if (isOptions && answer.outcome === 'failed' && status !== undefined && status < 300) return optionsAdvice(profile, pointer, answer);
  const request = asObject(findValue(profile, pointer));
  const expected = `a response that "accept" describes (${JSON.stringify(request['accept'] ?? { status: '2xx' })})`;
  const at = (members: readonly (keyof ProfileRequest)[]) => memberAt(profile, pointer, members);
  const common = { expected, received: answer.said };
  if (status === 404 || status === 405) {
    return { ...common, pointer: at(['request']), change: 'Correct the method and the path, or --url, to which the path is appended.' };
  }
  if (status === 401 || status === 403) {
    const hint =
      'Send what the server expects: "headers": { "origin": "{origin}" }, a CSRF token from an earlier response, or an "account" that signs in.';
    return { ...common, pointer: at(['headers', 'request']), change: hint };
  }
  if (status !== undefined && status >= 400) {
    return {
      ...common,
      pointer: at([...BODY_KINDS, 'request']),
      change: 'Compare the request with what the page sends: its body, and its CSRF token if it has one.',
    };
  }
  return {
    ...common,
    pointer: at(['accept', 'refuse', 'request']),
    change: 'If this response means success, describe it in "accept"; otherwise, correct the request.',
  };
}

/**
 * Advises the profile's author about a variable without a value: points to the `take` that should have set the variable, or to the
 * expression that needs it.
 */
function absentAdvice(profile: TargetProfile, pointer: string, variable: string): Advice {
  const [first = '', second = ''] = variable.split(/[.[]/);
  const name = first === 'registered' ? second : first;
  const phases: readonly Phase[] = first === 'registered' ? ['register'] : GIVEN.includes(first) ? [] : PHASES;
  for (const phase of phases) {
    const index = (profile[phase] ?? []).findLastIndex(({ take = {} }) => Object.hasOwn(take, name));
    if (index === -1) continue;
    return {
      pointer: `/${phase}/${index}/take/${escapePointer(name)}`,
      expected: `a value for {${variable}}, which "${namePlace(profile, pointer)}" needs`,
      received: 'none: the response contains no such value',
      change: 'Correct the source: --json shows every response.',
    };
  }
  const change = variable.startsWith('user.token')
    ? 'Give --token.'
    : 'Add a "take" to the request whose response contains it, or mark the variable as optional with a question mark.';
  return { pointer, expected: `a value for {${variable}}`, received: 'none', change };
}

function optionsAdvice(profile: TargetProfile, pointer: string, answer: Answer): Advice {
  const request = asObject(findValue(profile, pointer));
  const hasTake = asObject(request['take'])['options'] !== undefined;
  const leaf = listLeaves(answer.json).find(({ path, value }) => lastKey(path) === 'challenge' && typeof value === 'string');
  const parent = leaf && findParent(answer.json, leaf);
  const source = parent && jsonSource(answer.json, parent.path);
  const begins = pointer.startsWith('/registrationOptions') ? 'create' : 'get';
  const alone = leaf === undefined ? readAlone(answer) : begins === 'create' && !isCreation(parent?.value ?? {});
  if (alone) return challengeAdvice(pointer, begins, { answer, source: leaf ? jsonSource(answer.json, leaf.path) : 'text | trim' });
  return {
    pointer: hasTake ? `${pointer}/take/options` : pointer,
    expected: 'the options of a ceremony',
    received: answer.said,
    change:
      source === undefined
        ? 'Say where the response contains them: "take": { "options": "json PATH" }, or use html or text for a page.'
        : `Take them from the object that contains the challenge: "take": { "options": ${JSON.stringify(source)} }.`,
  };
}

/** Whether the last response consists of a single string, which may be a challenge. */
function readAlone({ decisive }: Answer): boolean {
  const { received: body = '' } = decisive ?? {};
  return /^\s*"?[\w+/=-]{16,}"?\s*$/.test(body);
}

/**
 * Advises the profile's author to build the options in the profile, because the server sends only a challenge and the page builds the
 * options around it.
 */
function challengeAdvice(
  pointer: string,
  begins: 'create' | 'get',
  { answer, source }: { readonly answer: Answer; readonly source: string },
): Advice {
  const build = begins === 'create' ? buildCreation : buildRequest;
  const step = JSON.stringify(build({ challenge: '{challenge}' }));
  return {
    pointer,
    expected: 'the options of a ceremony',
    received: answer.said,
    change: `The response contains only a challenge, so the page builds the options. Take the challenge, "take": { "challenge": ${JSON.stringify(source)} }, and add a step after this one that builds the options as your page does for navigator.credentials.${begins}: ${step}`,
  };
}
