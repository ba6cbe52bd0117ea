import { PasskeyError } from '../../errors.js';
import { escapePointer, splitPointer } from '../../kernel/json-location.js';
import { BODY_KINDS, type BodyKind } from './body.js';
import { type Expression, parseExpression, type Scope } from './expression.js';
import { compileJudgement, type Judgement, type Judgements } from './judge.js';
import { listNames } from './path.js';
import { type GateList, listGateRequests, type Phase, type ProfileRequest, type TargetProfile } from './profile-schema.js';
import { parseSource, type Source } from './source.js';
import { compileText, compileValue, type OnExpression, type TextTemplate, type ValueTemplate } from './template.js';
import { createVariableCheck, GIVEN, isSpecialTake, type UsedVariable } from './variables.js';

/** A request of a profile, compiled so that it can be sent. */
export interface CompiledRequest extends Judgements {
  /** JSON Pointer of the request in the profile, e.g. `/register/0`. */
  readonly pointer: string;
  readonly action: HttpAction | ExecAction | ValueAction;
  readonly takes: readonly { readonly name: string; readonly source: Source }[];
  /** Whether the request's conditions `if` and `unless` allow the request to be sent. */
  applies(scope: Scope): boolean;
}

export interface HttpAction {
  readonly kind: 'http';
  /** HTTP method, e.g. `POST`. */
  readonly method: string;
  readonly target: TextTemplate;
  /** Header templates by lower-case name. */
  readonly headers: readonly (readonly [string, TextTemplate])[];
  readonly body: { readonly kind: BodyKind; readonly template: ValueTemplate } | undefined;
  /**
   * Whether to follow redirects. A template means to follow them until one leads to a URL or path that begins with the filled-in template.
   */
  readonly follow: boolean | TextTemplate;
}

export interface ExecAction {
  readonly kind: 'exec';
  readonly words: readonly TextTemplate[];
}

/** A step of a profile that computes a value and sends nothing. */
export interface ValueAction {
  readonly kind: 'value';
  readonly template: ValueTemplate;
}

/** A mistake in a profile, with its position as a JSON Pointer. */
interface ProfileMistake {
  readonly pointer: string;
  readonly detail: string;
}

export interface CompiledProfile {
  readonly lists: Readonly<Record<Phase, readonly CompiledRequest[]>> & { readonly [list: GateList]: readonly CompiledRequest[] };
  /** Whether an expression reads this variable or one of its members. Searches the list `phase`, by default the whole profile. */
  uses(variable: string, phase?: Phase): boolean;
  /** Whether an expression in this list of requests reads this variable, one of its members, or an object that contains it. */
  reaches(variable: string, phase: Phase): boolean;
  /** Whether a request of the list has a `take` with this name. */
  takes(name: string, phase: Phase): boolean;
  /** Expressions that read environment variables, each with the name of the variable. */
  readonly environment: readonly { readonly name: string; readonly expression: Expression }[];
  readonly mistakes: readonly ProfileMistake[];
}

const METHOD = /^([A-Z]+)\s+(\S.*)$/s;
const ACCEPTED: Readonly<Record<CompiledRequest['action']['kind'], unknown>> = { http: { status: '2xx' }, exec: { status: 0 }, value: {} };

/** Compiles a profile. Does not throw for mistakes, but lists them in `mistakes` of the result. */
export function compileProfile(profile: TargetProfile): CompiledProfile {
  const mistakes: ProfileMistake[] = [];
  const used: UsedVariable[] = [];
  for (const name of Object.keys(profile.variables ?? {})) {
    if (GIVEN.includes(name)) mistakes.push({ pointer: `/variables/${escapePointer(name)}`, detail: taken(name) });
  }
  const compileList = (phase: Phase | GateList, requests: readonly ProfileRequest[] = []): readonly CompiledRequest[] =>
    requests.map((request, index) => {
      const pointer = `/${phase}/${index}`;
      for (const name of Object.keys(request.take ?? {})) {
        const special = isSpecialTake(phase, name);
        if (GIVEN.includes(name) && !special) mistakes.push({ pointer: `${pointer}/take/${escapePointer(name)}`, detail: taken(name) });
      }
      return compileRequest(request, pointer, {
        wrong: (at, detail) => mistakes.push({ pointer: at, detail }),
        attempt(at, make, otherwise) {
          try {
            const [member = ''] = splitPointer(at.slice(pointer.length));
            return make((expression, inEach = false) => used.push({ phase, index, member, pointer: at, expression, inEach }));
          } catch (error) {
            if (!(error instanceof PasskeyError)) throw error;
            mistakes.push({ pointer: at, detail: error.message });
            return otherwise;
          }
        },
      });
    });
  const lists: CompiledProfile['lists'] = {
    ...Object.fromEntries(listGateRequests(profile).map(([list, requests]) => [list, compileList(list, requests)])),
    account: compileList('account', profile.account),
    registrationOptions: compileList('registrationOptions', profile.registrationOptions),
    register: compileList('register', profile.register),
    authenticationOptions: compileList('authenticationOptions', profile.authenticationOptions),
    authenticate: compileList('authenticate', profile.authenticate),
    whoami: compileList('whoami', profile.whoami),
    list: compileList('list', profile.list),
    rename: compileList('rename', profile.rename),
    remove: compileList('remove', profile.remove),
    signOut: compileList('signOut', profile.signOut),
    password: compileList('password', profile.password),
    stepUp: compileList('stepUp', profile.stepUp),
    recover: compileList('recover', profile.recover),
    cleanup: compileList('cleanup', profile.cleanup),
  };
  const findMistake = createVariableCheck(profile, used);
  for (const one of used) {
    const detail = findMistake(one);
    if (detail !== undefined) mistakes.push({ pointer: one.pointer, detail });
  }
  const isUsed = (one: UsedVariable, variable: string) => isWithin(listNames(one.expression.path), variable.split('.'));
  return {
    lists,
    uses: (variable, phase) => used.some((one) => (phase === undefined || one.phase === phase) && isUsed(one, variable)),
    reaches: (variable, phase) =>
      used.some((one) => one.phase === phase && (isUsed(one, variable) || isWithin(variable.split('.'), listNames(one.expression.path)))),
    takes: (name, phase) => lists[phase].some((request) => request.takes.some((take) => take.name === name)),
    environment: used.flatMap(({ expression }) => {
      const [first, name] = listNames(expression.path);
      return first === 'env' && name !== undefined ? [{ name, expression }] : [];
    }),
    mistakes,
  };
}

const taken = (name: string): string =>
  `Expected a name that is still free; every profile already has the variable "${name}". Use another name.`;

const isWithin = (names: readonly string[], variable: readonly string[]): boolean => variable.every((name, at) => names[at] === name);

interface Compiling {
  /** Runs `make` and returns its result. If `make` throws a mistake in the profile, records the mistake and returns `otherwise` instead. */
  attempt<T>(pointer: string, make: (onExpression: OnExpression) => T, otherwise: T): T;
  wrong(pointer: string, detail: string): void;
}

const NEVER: Judgement = [];
const EMPTY = compileText('', () => {});
const NOTHING: ValueTemplate = () => undefined;

function compileRequest(request: ProfileRequest, pointer: string, compiling: Compiling): CompiledRequest {
  const { attempt } = compiling;
  const action = compileAction(request, pointer, compiling);
  const takes = Object.entries(request.take ?? {}).flatMap(([name, text]) =>
    attempt(`${pointer}/take/${escapePointer(name)}`, () => [{ name, source: parseSource(text) }], []),
  );
  const judgement = (name: 'accept' | 'refuse', conditions: unknown) =>
    attempt(`${pointer}/${name}`, (onExpression) => compileJudgement(conditions, onExpression), NEVER);
  /**
   * Compiles the condition `if` or `unless` of a request. It holds if its expression has a value. If the request has no such condition, the
   * result is always `otherwise`.
   */
  const holds = (name: 'if' | 'unless', otherwise: boolean) => {
    const text = request[name];
    if (text === undefined) return () => otherwise;
    return attempt(
      `${pointer}/${name}`,
      (onExpression) => compileCondition(text, onExpression),
      () => otherwise,
    );
  };
  const [onlyIf, unless] = [holds('if', true), holds('unless', false)];
  return {
    pointer,
    action,
    takes,
    accept: judgement('accept', request.accept ?? ACCEPTED[action.kind]),
    refuse: request.refuse === undefined ? undefined : judgement('refuse', request.refuse),
    applies: (scope) => onlyIf(scope) && !unless(scope),
  };
}

function compileCondition(text: string, onExpression: OnExpression): (scope: Scope) => boolean {
  const expression = parseExpression(text);
  onExpression(expression);
  return (scope) => Boolean(expression.evaluate(scope));
}

function compileAction(request: ProfileRequest, pointer: string, compiling: Compiling): CompiledRequest['action'] {
  const { attempt } = compiling;
  if (request.value !== undefined) {
    refuseBeside('value', { request, pointer, compiling });
    return { kind: 'value', template: attempt(`${pointer}/value`, (onExpression) => compileValue(request.value, onExpression), NOTHING) };
  }
  if (request.exec === undefined) return compileHttp(request, pointer, compiling);
  refuseBeside('exec', { request, pointer, compiling });
  const words = request.exec.map((word, index) =>
    attempt(`${pointer}/exec/${index}`, (onExpression) => compileText(word, onExpression), EMPTY),
  );
  return { kind: 'exec', words };
}

function compileHttp(request: ProfileRequest, pointer: string, { attempt, wrong }: Compiling): HttpAction {
  const { follow = false } = request;
  const [, method = 'GET', target = ''] = METHOD.exec(request.request ?? '') ?? [];
  if (request.request === undefined) wrong(pointer, 'Expected "request", "exec" or "value"; got none.');
  else if (target === '') wrong(pointer, `Expected a method and a path, such as "POST /login"; got ${JSON.stringify(request.request)}.`);
  const kinds = BODY_KINDS.filter((kind) => request[kind] !== undefined);
  if (kinds.length > 1) wrong(pointer, `Expected one body; got ${kinds.join(' and ')}.`);
  const [kind] = kinds;
  return {
    kind: 'http',
    method,
    target: attempt(`${pointer}/request`, (onExpression) => compileText(target, onExpression), EMPTY),
    headers: Object.entries(request.headers ?? {}).map(([name, text]) => [
      name.toLowerCase(),
      attempt(`${pointer}/headers/${escapePointer(name)}`, (onExpression) => compileText(text, onExpression), EMPTY),
    ]),
    body: kind && {
      kind,
      template: attempt(`${pointer}/${kind}`, (onExpression) => compileValue(request[kind], onExpression), NOTHING),
    },
    follow: typeof follow === 'string' ? attempt(`${pointer}/follow`, (onExpression) => compileText(follow, onExpression), EMPTY) : follow,
  };
}

interface Place {
  readonly request: ProfileRequest;
  readonly pointer: string;
  readonly compiling: Compiling;
}

/** Records a mistake for each member that has no meaning in a step with `exec` or `value`. */
function refuseBeside(member: 'exec' | 'value', { request, pointer, compiling }: Place): void {
  const all = ['request', 'exec', 'headers', ...BODY_KINDS, 'follow'] as const;
  const foreign = all.filter((name) => name !== member && request[name] !== undefined);
  if (foreign.length === 0) return;
  compiling.wrong(
    `${pointer}/${member}`,
    `Expected no other member of a request next to "${member}"; got ${foreign.join(' and ')}. Remove it.`,
  );
}

/**
 * Compiles a profile and refuses it if it has mistakes.
 *
 * @param where names a position in the profile for error messages.
 * @throws PasskeyError `configuration_invalid` with every mistake and its position.
 */
export function checkProfile(profile: TargetProfile, where: (pointer: string) => string): CompiledProfile {
  const fresh = compileProfile(profile);
  if (fresh.mistakes.length > 0) throw profileError(profile.name, fresh.mistakes, where);
  return fresh;
}

/** Makes an error that has one line for each mistake in a profile. */
export function profileError(name: string, mistakes: readonly ProfileMistake[], where: (pointer: string) => string): PasskeyError {
  const lines = mistakes.map(({ pointer, detail }) => `${where(pointer)}: ${detail}`);
  const errors = mistakes.map(({ pointer, detail }) => ({ pointer, detail }));
  const message = lines.length === 1 ? (lines[0] ?? '') : `The profile ${name} has ${lines.length} mistakes.\n${lines.join('\n')}`;
  return new PasskeyError('configuration_invalid', message, { errors });
}
