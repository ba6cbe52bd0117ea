import { asObject } from '../../kernel/json-value.js';
import { matchesId, unknownSelection } from '../../simulate/report/case-ids.js';
import type { Ending, Lack, Override, World } from './driver.js';
import type { FlowName } from './flow.js';
import {
  AUTOFILL_NOT_REARMED,
  addDescriptor,
  type Baseline,
  CALLED_WITH_ERROR,
  CHALLENGE_KEPT,
  CHALLENGE_REUSED,
  CONDITIONAL_UNCHECKED,
  CONTROL_STUCK,
  DOUBLE,
  EXCLUDE_LOST,
  editOptions,
  HONEST,
  type Judge,
  RATE_LIMIT_IGNORED,
  REJECTION_UNHANDLED,
  RETRY_LOOP,
  SECOND_ATTEMPT_DEAD,
  SENT_WITHOUT_RESPONSE,
  SIGNAL_REMOVAL,
  SIGNAL_RENAME,
  SIGNAL_UNKNOWN,
  SIGNAL_UNKNOWN_AFTER_FAILURE,
  TRANSPORTS_DROPPED,
  TRANSPORTS_SENT,
  withoutComplaint,
} from './judges.js';
import { isAutofill, listCalls } from './trace.js';

/** A change of the server's response to one of the requests of a ceremony. Only the first attempt is changed. */
interface Changed {
  readonly role: 'options' | 'verification';
  readonly override: Override;
}

/** A case: the world (browser and network) in which a page runs, and the judges that assess the page's behaviour in it. */
export interface PageCase {
  readonly id: string;
  readonly flow: FlowName;
  readonly title: string;
  readonly world: Omit<World, 'answer'>;
  readonly changed?: Changed;
  /** Judges the honest run of the flow instead of another run. */
  readonly isBaseline?: true;
  /** When the trigger is clicked a second time: after the first attempt, or during it. Undefined: never. */
  readonly again?: 'afterwards' | 'at once';
  /** Milliseconds in which the requests of the first attempt are counted. */
  readonly watches?: number;
  /**
   * Flow to play first with a new user. `register` is played in the same page. `remove` is played after a registration, and the case then
   * runs in a new page.
   */
  readonly before?: 'register' | 'remove';
  readonly judges: readonly Judge[];
  /** Returns why the case does not apply to a page; undefined if it does. */
  readonly inapplicable?: (baseline: Baseline) => string | undefined;
}

type Ceremony = 'register' | 'login';
const CEREMONIES = ['register', 'login'] as const satisfies readonly Ceremony[];
const NOUN = { register: 'a registration', login: 'a sign-in' };

/** Judges used after every failure. They check that the control can be used again, and that a second click starts over. */
const USABLE: readonly Judge[] = [
  RETRY_LOOP,
  CONTROL_STUCK,
  SECOND_ATTEMPT_DEAD,
  SIGNAL_UNKNOWN_AFTER_FAILURE,
  CHALLENGE_REUSED,
  REJECTION_UNHANDLED,
];

const ENDINGS: readonly (readonly [id: string, Ending, title: string, flows: readonly Ceremony[]])[] = [
  ['cancelled', 'NotAllowedError', 'The user cancels', CEREMONIES],
  ['security-error', 'SecurityError', 'The browser refuses the RP ID', CEREMONIES],
  ['already-registered', 'InvalidStateError', 'The authenticator already has a passkey of the user', ['register']],
  ['aborted', 'AbortError', 'The call is aborted', CEREMONIES],
];

const ENDING_CASES = ENDINGS.flatMap(([id, ending, title, flows]) =>
  flows.map(
    (flow): PageCase => ({
      id: `${flow}.${id}`,
      flow,
      title: `${title} in ${NOUN[flow]}`,
      // More than a page may try by itself.
      world: { endings: Array.from({ length: 8 }, () => ending) },
      again: 'afterwards',
      judges: [SENT_WITHOUT_RESPONSE, ...USABLE, ...(id === 'cancelled' ? [CHALLENGE_KEPT, AUTOFILL_NOT_REARMED] : [])],
      inapplicable: ({ observations, trigger }) =>
        listCalls(observations, trigger).some((call) => !isAutofill(call)) ? undefined : 'The page makes no modal call.',
    }),
  ),
);

const answer = (status: number, type: string, body: string): Override => ({
  kind: 'answer',
  status,
  headers: { 'content-type': type },
  body,
});
const JSON_TYPE = 'application/json';
const error = (status: number): Override =>
  answer(status, JSON_TYPE, JSON.stringify({ error: 'refused_by_test', message: 'Refused by a test.' }));

const ANSWERS: readonly (readonly [id: string, Override, title: string])[] = [
  ['400', error(400), 'answers 400'],
  ['401', error(401), 'answers 401'],
  ['500', error(500), 'answers 500'],
  [
    '429',
    { ...answer(429, JSON_TYPE, '{"error":"rate_limited"}'), headers: { 'content-type': JSON_TYPE, 'retry-after': '30' } } as Override,
    'answers 429',
  ],
  ['not-json', answer(200, JSON_TYPE, '{"challenge": "AAAA'), 'answers with JSON that ends early'],
  ['html', answer(200, 'text/html', '<!doctype html><title>Maintenance</title><p>Back soon.'), 'answers 200 with an HTML page'],
  ['offline', { kind: 'offline' }, 'cannot be reached'],
];
/** Milliseconds for which requests are counted after a response with status 429. A page may send two requests in this time. */
const LIMIT_WATCHED = 1_500;

const NO_OPTIONS = 'No response that could be read contains the challenge. The options may come by WebSocket.';

const needsRole = (role: Changed['role']) => (baseline: Baseline) => {
  const { [role]: request } = baseline.roles;
  if (request === undefined) return role === 'options' ? NO_OPTIONS : 'No request was seen that sends the response.';
  if (request.isNavigation) {
    return role === 'options'
      ? 'The options are part of the document.'
      : 'The page sends the response by a form, which loads another document.';
  }
  const sentAt = baseline.observations.findIndex((one) => one.kind === 'request' && one.id === request.id);
  return sentAt < baseline.trigger ? 'The page requests its options before the click.' : undefined;
};

const ANSWER_CASES = CEREMONIES.flatMap((flow) =>
  (['options', 'verification'] as const).flatMap((role) =>
    ANSWERS.map(
      ([id, override, title]): PageCase => ({
        id: `${flow}.${role}-${id}`,
        flow,
        title: `The server ${title} in place of ${role === 'options' ? 'the options' : 'the verdict'} of ${NOUN[flow]}`,
        world: {},
        changed: { role, override },
        again: 'afterwards',
        ...(id === '429' && { watches: LIMIT_WATCHED }),
        judges: [...(role === 'options' ? [CALLED_WITH_ERROR] : []), ...judgesOf(id)],
        inapplicable: needsRole(role),
      }),
    ),
  ),
);

function judgesOf(id: string): readonly Judge[] {
  // A page may well keep its control disabled for as long as Retry-After says.
  if (id === '429') return [RATE_LIMIT_IGNORED, ...USABLE.filter((judge) => judge !== CONTROL_STUCK && judge !== SECOND_ATTEMPT_DEAD)];
  // By 400 and 401, a server may well say that it does not know the credential.
  return id === '400' || id === '401' ? USABLE.filter((judge) => judge !== SIGNAL_UNKNOWN_AFTER_FAILURE) : USABLE;
}

/** A value that no enumeration has yet. Clients must treat such values as absent (§2.1.1). */
const FUTURE = 'not-yet-defined';
const addFutureValues = (body: string): string =>
  editOptions(body, (options) => {
    const entry = { type: 'public-key', id: 'ZnV0dXJlLXZhbHVlcy1lbnRyeQ', transports: [FUTURE] };
    const selection = { ...asObject(options['authenticatorSelection']), residentKey: FUTURE, userVerification: FUTURE };
    return options['rp'] === undefined
      ? { ...options, userVerification: FUTURE, hints: [FUTURE] }
      : { ...options, attestation: FUTURE, hints: [FUTURE], authenticatorSelection: selection, excludeCredentials: [entry] };
  });

const OPTIONAL = new Set([
  'timeout',
  'attestation',
  'attestationFormats',
  'hints',
  'extensions',
  'authenticatorSelection',
  'excludeCredentials',
  'userVerification',
]);
const dropOptionalMembers = (body: string): string =>
  editOptions(body, (options) =>
    Object.fromEntries(Object.entries(options).filter(([name, value]) => !OPTIONAL.has(name) && !isEmptyList(value))),
  );
const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

const edited = (
  id: string,
  edit: (body: string) => string,
  title: string,
  judges: readonly Judge[],
  flows: readonly Ceremony[],
): PageCase[] =>
  flows.map((flow) => ({
    id: `${flow}.${id}`,
    flow,
    title: `${title} of ${NOUN[flow]}`,
    world: {},
    changed: { role: 'options', override: { kind: 'edit', edit } },
    judges,
    inapplicable: (baseline) => needsRole('options')(baseline) ?? (baseline.roles.answered ? undefined : 'The options are not JSON.'),
  }));

const EDIT_CASES = [
  ...edited(
    'exclude-credentials',
    addDescriptor,
    'The server excludes another credential in the options',
    [EXCLUDE_LOST, TRANSPORTS_DROPPED],
    ['register'],
  ),
  ...edited(
    'future-values',
    addFutureValues,
    'Values that are not yet defined are in the options',
    [withoutComplaint('future-values', true)],
    CEREMONIES,
  ),
  ...edited(
    'optional-members',
    dropOptionalMembers,
    'No optional members are in the options',
    [withoutComplaint('optional-members', true)],
    CEREMONIES,
  ),
];

const LACKS: readonly (readonly [Lack, id: string, title: string, judge: Judge, flows: readonly Ceremony[]])[] = [
  ['PublicKeyCredential', 'without-webauthn', 'has no WebAuthn', withoutComplaint('without-webauthn', false), CEREMONIES],
  [
    'getClientCapabilities',
    'without-capabilities',
    'has no getClientCapabilities()',
    withoutComplaint('without-capabilities', true),
    CEREMONIES,
  ],
  ['signals', 'without-signals', 'has no signal methods', withoutComplaint('without-signals', true), CEREMONIES],
  ['conditional', 'without-autofill', 'has no autofill of passkeys', CONDITIONAL_UNCHECKED, ['login']],
];

const LACK_CASES = LACKS.flatMap(([lacks, id, title, judge, flows]) =>
  flows.map(
    (flow): PageCase => ({ id: `${flow}.${id}`, flow, title: `The browser ${title}, in ${NOUN[flow]}`, world: { lacks }, judges: [judge] }),
  ),
);

/** Milliseconds for which the browser's dialog stays open, so that a page has time to request options twice. */
const DIALOG = 1_000;

const DOUBLE_CASES = CEREMONIES.map(
  (flow): PageCase => ({
    id: `${flow}.double-click`,
    flow,
    title: `A double click in ${NOUN[flow]}`,
    world: { open: DIALOG },
    again: 'at once',
    judges: DOUBLE,
  }),
);

const honest = (flow: FlowName, title: string, more: readonly Judge[] = []): PageCase => ({
  id: `${flow}.honest`,
  flow,
  title,
  world: {},
  isBaseline: true,
  judges: [...HONEST, ...more],
});

/** All cases, in the order in which they are listed. */
export const PAGE_CASES: readonly PageCase[] = [
  honest('register', 'A registration that succeeds', [TRANSPORTS_SENT]),
  honest('login', 'A sign-in that succeeds'),
  honest('password', 'A sign-in with a password that succeeds'),
  ...ENDING_CASES,
  ...ANSWER_CASES,
  ...EDIT_CASES,
  ...LACK_CASES,
  ...DOUBLE_CASES,
  { id: 'remove.honest', flow: 'remove', title: 'A passkey is removed', world: {}, before: 'register', judges: [SIGNAL_REMOVAL] },
  { id: 'rename.honest', flow: 'rename', title: 'The user gets another name', world: {}, before: 'register', judges: [SIGNAL_RENAME] },
  {
    id: 'login.removed-passkey',
    flow: 'login',
    title: 'A sign-in with a passkey that was removed',
    world: {},
    before: 'remove',
    judges: [SIGNAL_UNKNOWN],
  },
  {
    id: 'password.upgrade-refused',
    flow: 'password',
    title: 'The browser makes no passkey after a sign-in with a password',
    world: { endings: ['NotAllowedError'] },
    judges: [REJECTION_UNHANDLED],
    inapplicable: ({ observations }) =>
      listCalls(observations).some(({ method }) => method === 'create')
        ? undefined
        : 'The page does not offer a passkey after a sign-in with a password.',
  },
];

/**
 * Selects cases by their IDs, in the order of {@link PAGE_CASES}.
 *
 * @param patterns IDs, in which `*` matches any text; empty: all cases.
 * @throws PasskeyError `usage` for a pattern that matches no case.
 */
export function choosePageCases(patterns: readonly string[] = []): readonly PageCase[] {
  const known = PAGE_CASES.map(({ id }) => id);
  const missing = patterns.find((pattern) => !known.some((id) => matchesId(pattern, id)));
  if (missing !== undefined) throw unknownSelection('case', missing, { known, list: 'passkey browse --check --list' });
  return PAGE_CASES.filter(({ id }) => patterns.length === 0 || patterns.some((pattern) => matchesId(pattern, id)));
}
