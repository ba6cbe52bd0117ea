import type { Deviation, SignedIn } from '../report/deviation.js';
import type { CaseResult, ListedCase } from '../report/report.js';
import { isAtLeast, SEVERITY_NAMES } from '../report/severity.js';
import { ATTESTATION_CAUSES } from './attestation-causes.js';
import { AUTHENTICATOR_CAUSES } from './authenticator-causes.js';
import type { Cause, CombinedCause, Conduct } from './cause.js';
import { CLIENT_DATA_CAUSES } from './client-data-causes.js';
import { CREDENTIAL_CAUSES } from './credential-causes.js';
import { LIFECYCLE_CAUSES } from './lifecycle-causes.js';
import { SERVER_CAUSES } from './server-causes.js';

/** All causes. Those of equal severity are reported in this order. */
export const CAUSES: readonly Cause[] = [
  ...CLIENT_DATA_CAUSES,
  ...AUTHENTICATOR_CAUSES,
  ...CREDENTIAL_CAUSES,
  ...ATTESTATION_CAUSES,
  ...LIFECYCLE_CAUSES,
  ...SERVER_CAUSES,
];

/** Causes that combine several others. They are reported before other causes of the same severity. */
export const COMBINED_CAUSES: readonly CombinedCause[] = [
  {
    id: 'origin-host-only',
    severity: 'high',
    proof: 'accepted',
    of: ['origin-port', 'origin-scheme'],
    says: 'The server compares only the host of the origin: it accepted {responses} of other schemes and ports, such as every page on localhost.',
    gain: 'Another program on the machine, or a page without https on the same host, gets a response from the user, and signs in with it.',
  },
  {
    id: 'attestation-root-refused',
    severity: 'low',
    of: ['attestation-refused'],
    unpassed: /^register\.attested-(?!credential-)/,
    takes: ['root-refused', 'compound-refused', 'android-key-refused'],
    says: 'The server refuses every attestation that leads to the root of `passkey attestation-root`, although the profile says that it is trusted: {registrations}. First check that the server has this root: it may read only the first certificate of a file.',
  },
  {
    id: 'sign-count-zero-refused',
    severity: 'low',
    of: ['ordinary-refused', 'sign-count-refused'],
    passed: /\.counter-(?:after-zero|by-one)$/,
    says: 'The server refuses passkeys without a sign count, such as all synced ones: {attempts}. Compare the sign count only if it is not zero.',
  },
];

const ANY = /(?:)/;

/** Finds the cause of a failed case: a known fault of the library, a row of the table, or the rule or step that the case tests. */
export function findCause(failed: CaseResult): Cause {
  const { library, fixed_in } = failed;
  const row = findRow(failed.id, readConduct(failed));
  const own = row === undefined ? causeByStep(failed) : holdProof(row, failed);
  if (library === undefined || (fixed_in === undefined && isAtLeast(own.severity, 'high'))) return own;
  const id = `library ${library.replace(/ \d\S* /, ' ')}`;
  const says = `${library}: {requests}.`;
  if (fixed_in !== undefined) return { ...own, id, cases: ANY, within: [], says: `${says} Upgrade to ${fixed_in}.` };
  return { id, severity: 'note', cases: ANY, says: `${says} Not yours to fix; no attack is known.` };
}

/** Checks whether a failure comes from a library fault that no version has fixed yet and that no known attack uses. */
export const isOfLibrary = ({ library, fixed_in }: CaseResult, { severity }: Cause): boolean =>
  library !== undefined && fixed_in === undefined && severity === 'note';

/** Finds the cause to report if the given case failed, which means that an attack was accepted or a valid response was refused. */
export function findTestedCause(listed: Omit<ListedCase, 'references'>): Cause {
  const attack = findRow(listed.id, 'accepted');
  const isAttack = listed.tags.includes('rejected') || attack?.gain !== undefined;
  return (isAttack ? attack : findRow(listed.id, 'refused')) ?? causeByStep(listed);
}

function findRow(id: string, conduct: Conduct): Cause | undefined {
  const row = CAUSES.find(({ cases, when = 'accepted' }) => when === conduct && cases.test(id));
  return row === undefined && conduct === 'owner' ? findRow(id, 'accepted') : row;
}

/** Kinds of proof that make a cause critical only if whoami showed which user was signed in. */
const NEEDS_USER: readonly Cause['proof'][] = ['another', 'signedIn'];

/** Raises the severity of `cause` to that of `by`, another cause that a case of the same finding has proved. */
export function raise(cause: Cause | CombinedCause, by: Cause): Cause | CombinedCause {
  if (SEVERITY_NAMES.indexOf(by.severity) >= SEVERITY_NAMES.indexOf(cause.severity)) return cause;
  return CAUSES.find(({ id, severity }) => id === cause.id && severity === by.severity) ?? cause;
}

/** Lowers a critical cause to high if the run did not show which user was wrongly signed in. */
function holdProof(row: Cause, failed: CaseResult): Cause {
  if (row.severity !== 'critical' || !NEEDS_USER.includes(row.proof)) return row;
  const user = readSignedIn(failed);
  if (user === 'another' || (user === 'owner' && row.proof === 'signedIn')) return row;
  return { ...row, severity: 'high', says: user === 'owner' ? row.says : `${row.says} The signed-in user is unknown.` };
}

function findDeviation({ mismatches }: CaseResult): Deviation | undefined {
  return mismatches.map(({ deviation }) => deviation).find(({ kind }) => kind !== 'varies');
}

/** Reads which user was signed in, from the first mismatch that shows it. */
function readSignedIn({ mismatches }: CaseResult): SignedIn['user'] {
  for (const { deviation } of mismatches) {
    const answer = deviation.kind === 'not_prepared' ? deviation.by : deviation;
    if ((answer?.kind === 'accepted' || answer?.kind === 'differs') && answer.signed_in !== undefined) return answer.signed_in.user;
  }
  return 'unknown';
}

/**
 * Reads from the first mismatch how the target behaved. Skips mismatches that only say that repeated runs differed, because they prove
 * nothing by themselves.
 */
export function readConduct(result: CaseResult): Conduct {
  if (result.mismatches.some(({ deviation }) => deviation.kind === 'ended')) return 'ended';
  const first = findDeviation(result);
  if (first === undefined) return 'varies';
  return classify(first.kind === 'not_prepared' ? (first.by ?? { kind: 'refused' }) : first);
}

function classify(deviation: Exclude<Deviation, { readonly kind: 'not_prepared' }>): Conduct {
  switch (deviation.kind) {
    case 'accepted':
      return SIGNED_IN[deviation.signed_in?.user ?? 'unknown'];
    case 'differs':
      return 'accepted';
    case 'refused':
      return deviation.otherwise === true ? 'refused otherwise' : 'refused';
    case 'failed':
      // Too many requests (429) say nothing of the server.
      return (deviation.status ?? 0) >= 500 ? 'failed' : 'unreadable';
    case 'unreadable':
    case 'varies':
      return deviation.kind;
    case 'no_answer':
    case 'ended':
      return 'ended';
    case 'no_response':
      return 'no response';
    case 'case_error':
      return 'case error';
  }
}

const SIGNED_IN = { owner: 'owner', another: 'another user', unknown: 'accepted' } as const;

/** Makes a cause for a case that no row of the table matches, from the rule or step that the case tests. */
function causeByStep({
  id,
  tests,
  tags,
  attestation_format: format,
}: Pick<ListedCase, 'id' | 'tests' | 'tags' | 'attestation_format'>): Cause {
  const cases = ANY;
  if (tests === undefined) {
    const says = tags.includes('verified')
      ? 'The server answers {requests} differently from a correct one.'
      : 'The server accepts malformed or wrong requests: {requests}.';
    return { id: 'other', severity: 'low', cases, says };
  }
  const { slug, section, number, title, rule } = tests;
  const attestation = slug.startsWith('attestation-') && format !== undefined;
  const text = rule ?? `§${section} step ${number}: ${title}`;
  return {
    id: rule === undefined ? slug : `${slug} ${rule}`,
    severity: attestation ? 'medium' : 'low',
    cases,
    says: `The server does not enforce "${text}": it accepted {responses}.`,
    ...(id.includes('-unasked-') && { within: ['statement-unasked'] }),
    ...(attestation && { gain: 'Anyone can pass for an authenticator of another model.' }),
  };
}
