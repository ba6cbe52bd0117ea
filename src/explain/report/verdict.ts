import { type FailedStepReport, hasFailed, type StepReport, skip } from '../../relying-party/steps/step.js';
import type { EncodingMistake } from './encoding.js';
import type { Missing } from './missing.js';

/** `undecided`: nothing failed, but something that decides was not given, or cannot be verified by this version of Node. */
export type Verdict = 'accepted' | 'rejected' | 'undecided';

export interface LibraryAnswer {
  readonly verdict: 'accepted' | 'rejected' | 'not-asked';
  readonly reason: string | undefined;
}

export interface Judged {
  readonly verdict: Verdict;
  readonly steps: readonly StepReport[];
  /** The first step that failed. */
  readonly failed: FailedStepReport | undefined;
}

/** Without these a response proves nothing. */
const ESSENTIAL: ReadonlySet<string> = new Set(['challenge', 'origin', 'rp-id-hash', 'signature', 'attestation-statement']);

/** Members whose encoding explains a step that failed. */
const FIELD_OF_STEP: Readonly<Record<string, string>> = {
  'client-data-text': '/response/clientDataJSON',
  'client-data': '/response/clientDataJSON',
  'attestation-object': '/response/attestationObject',
  'rp-id-hash': '/response/authenticatorData',
  signature: '/response/signature',
  'user-handle': '/response/userHandle',
};

/** Puts what could not run in its place, and the verdict over it all. */
export function judge(reports: readonly StepReport[], missing: Missing, mistakes: readonly EncodingMistake[]): Judged {
  const steps = withoutUpdate(
    reports.map((report): StepReport => {
      const { section, number, slug, title } = report;
      const instead = missing.get(slug);
      return instead === undefined ? withFieldHint(report, mistakes) : { section, number, slug, title, ...instead };
    }),
  );
  const failed = steps.find(hasFailed);
  const open = steps.some(({ slug, status }) => status === 'skip' && ESSENTIAL.has(slug));
  return { verdict: failed !== undefined ? 'rejected' : open ? 'undecided' : 'accepted', steps, failed };
}

/** Bytes that make no sense because their text was misread: then that is the mistake to mend. */
function withFieldHint(report: StepReport, mistakes: readonly EncodingMistake[]): StepReport {
  const mistake = mistakes.find(
    ({ pointer, mistake: kind }) => pointer === FIELD_OF_STEP[report.slug] && ['hexadecimal', 'encoded-twice', 'cut-off'].includes(kind),
  );
  return report.status === 'fail' && mistake !== undefined ? { ...report, hint: mistake.message } : report;
}

/** A login that is refused updates no credential record (§7.2 step 24), as a refused registration makes none. */
function withoutUpdate(steps: readonly StepReport[]): readonly StepReport[] {
  if (!steps.some(hasFailed)) {
    return steps;
  }
  return steps.map((report): StepReport => {
    const { section, number, slug, title, status } = report;
    return slug === 'credential-record' && status === 'pass'
      ? { section, number, slug, title, ...skip('done when every step before it passes') }
      : report;
  });
}
