import { describe, expect, test } from 'vitest';
import type { CaseResult, Finding } from '../../../src/simulate/report/report.js';
import { type CatalogueOptions, reportFaults } from '../../independent/catalogue.js';
import { FAULTS, type FaultId } from '../../independent/faults.js';
import { keepRequests } from './sent-requests.js';

const WEAK_CHALLENGES: readonly FaultId[] = [
  'challenge-counted',
  'challenge-counted-downwards',
  'challenge-of-clock',
  'challenge-of-clock-text',
  'challenge-short',
  'challenge-with-constant',
];

/** Sign in the wrong user, change what all logins list, or leave gates open: no other fault shows beside them. */
const HIDING: readonly FaultId[] = [
  ...WEAK_CHALLENGES,
  'allow-list-of-all',
  'challenge-constant',
  'challenge-of-the-minute',
  'challenge-shared',
  'credential-by-user-handle',
  'gate-unchecked-by-password',
  'others-passkeys-listed',
  'owner-of-latest-login',
  'owner-of-latest-registration',
  'sessions-of-latest-login',
  'user-from-user-handle',
  'user-handle-shared',
];

/** Wait between two steps, so that of two racing requests both win. */
const RACED: readonly FaultId[] = ['challenge-spent-late', 'last-passkeys-at-once', 'recovery-spent-late', 'sign-ups-at-once'];

const LAX = FAULTS.filter(({ id, kind }) => kind === 'lax' && ![...HIDING, ...RACED].includes(id)).map(({ id }) => id);

/** Refuse what a correct party accepts, or fail. */
const REFUSING: readonly FaultId[] = [
  'attachment-required',
  'eddsa-refused',
  'malformed-cbor-crashes',
  'unknown-client-data-member-refused',
  'unknown-credential-crashes',
];

/** Checks of logins and of attestation, which stay: of two cases with one edit, the party accepts one and refuses the other. */
const CHECKED =
  /^(?:get-|signature-(?!may-omit|by-another)|(?:packed|tpm|android|safetynet|u2f|apple|compound|trust|chain|none|self|format|unknown-format|statement)-)/;
const HALF = [...LAX.filter((id) => !CHECKED.test(id)), ...REFUSING];

const OF_SESSIONS: readonly FaultId[] = [
  'others-passkeys-listed',
  'others-passkey-removed',
  'session-cookie-plain',
  'session-kept-at-login',
  'session-outlives-sign-out',
];

const OF_CHALLENGES = [
  '*.challenge-fresh',
  '*.challenge-guessable',
  '*.challenge-length',
  '*.challenge-shared*',
  '*.challenge-used*',
  '*.two-*',
];

const OF_FORMATS = ['*.default', 'register.format-*-excluded'];
const OF_TOKENS = ['*.default', '*.challenge-used*', '*.token-*'];

/** Their requests are recorded as well. */
const WHOLE = ['half', 'accounts', 'step-ups', 'tokens'];

type Row = readonly [file: string, faults: readonly FaultId[], options: CatalogueOptions];

const ROWS: readonly Row[] = [
  ['half', HALF, {}],
  ['accounts', [], { setting: 'accounts' }],
  ['accounts-lax', LAX, { setting: 'accounts' }],
  ['challenges-counted', ['challenge-counted'], { cases: OF_CHALLENGES }],
  ['challenges-shared', ['challenge-shared'], { cases: OF_CHALLENGES }],
  ['challenges-short', ['challenge-short'], { cases: OF_CHALLENGES }],
  ['framed', HALF, { setting: 'framed', cases: ['*cross-origin*', '*top-origin*'] }],
  ['models', HALF, { setting: 'models', cases: ['register.aaguid-*', 'register.model-*'] }],
  ['raced', RACED, { setting: 'accounts', cases: ['*-at-once'] }],
  ['related', HALF, { setting: 'related', cases: ['*.origin-*', '*.rp-id-*'] }],
  ['signed-in', OF_SESSIONS, { setting: 'signedIn', cases: ['*.for-another-user', 'register.signed-out', 'session.*'] }],
  ['step-ups', [], { setting: 'passkeyStepUps' }],
  ['step-ups-lax', LAX, { setting: 'passkeyStepUps' }],
  ['formats', [], { setting: 'packedUnassessed', cases: OF_FORMATS }],
  ['formats-lax', ['excluded-none-accepted', 'excluded-format-accepted'], { setting: 'packedUnassessed', cases: OF_FORMATS }],
  ['single', LAX, { setting: 'single', cases: ['*.default', 'session.*', 'login.each-of-three-passkeys', 'register.exclude-*'] }],
  ['counting', LAX, { setting: 'counting', cases: ['*.default', 'login.counter-*'] }],
  ['token-cookies', HALF, { setting: 'tokenCookies', cases: OF_TOKENS }],
  ['signed-challenges', HALF, { setting: 'signedChallenges', cases: OF_TOKENS }],
  ['tokens', HALF, { setting: 'tokens', cases: ['*.challenge-*', '*.token-*'] }],
];

/** Values that differ from run to run or with the cases before: credential IDs, user handles, challenges, and how many there are. */
const CHANGING: readonly (readonly [RegExp, string])[] = [
  [/[\w-]{40,}/g, '…'],
  [/(?<=by simulate \S+ )[\w-]{8}/g, '…'],
  [/("…",)+/g, ''],
  [/whoami says \d+, but \d+/g, 'whoami says one, but another'],
  [/one of \d+ allowed/g, 'one of several allowed'],
  [/received \d+ \{/g, 'received one {'],
];

function describeEnding({ status, code, control, reason, remarks = [], mismatches, usual_refusal: usual }: CaseResult): string {
  const lines = [
    `${code ?? status}${control === undefined ? '' : `: ${control}`}${reason === undefined ? '' : `: ${reason}`}`,
    ...mismatches.map(({ at, expected, received, deviation }) => {
      return `${at}: expected ${expected}, received ${received} ${JSON.stringify(deviation)}`;
    }),
    ...(usual === undefined ? [] : [`usually refused with ${usual.status}`]),
    ...remarks,
  ];
  return CHANGING.reduce((text, [pattern, by]) => text.replaceAll(pattern, by), lines.join('\n'));
}

/** Lists under each ending but a pass the cases that ended so, and then the findings. */
function write({ results, findings }: { readonly results: readonly CaseResult[]; readonly findings: readonly Finding[] }): string {
  const byEnding = new Map<string, string[]>();
  for (const each of results) {
    const ending = describeEnding(each);
    if (ending === 'passed') continue;
    byEnding.set(ending, [...(byEnding.get(ending) ?? []), each.id]);
  }
  const endings = [...byEnding].map(([ending, ids]) => `${ending}\n${ids.map((id) => `  ${id}`).join('\n')}`);
  const found = findings.map(({ cause, severity, title, gain = '', steps, references, cases, rerun = '' }) =>
    [`${severity}, ${cause}: ${title}`, gain, steps.join(', '), references.join(', '), `${cases.length} cases: ${cases[0]}`, rerun]
      .filter((line) => line !== '')
      .join('\n  '),
  );
  return `${[...endings, ...found].join('\n\n')}\n`;
}

describe('the ending of each case at a party with many faults, and what the report finds, stay as recorded', () => {
  test.each(ROWS)('%s', async (file, faults, options) => {
    const { keep, list } = keepRequests();
    await expect(write(await reportFaults(faults, { ...options, reach: keep }))).toMatchFileSnapshot(`faulty-party/${file}.txt`);
    if (WHOLE.includes(file)) await expect(`${list().join('\n')}\n`).toMatchFileSnapshot(`faulty-party/${file}.requests.txt`);
  });
});
