import type { StepReport } from '../../relying-party/steps/step.js';
import type { EncodingMistake } from './encoding.js';
import type { Missing } from './missing.js';

export interface LibraryAnswer {
  readonly verdict: 'accepted' | 'rejected' | 'not-asked';
  readonly reason: string | undefined;
}

/** Members whose encoding explains a step that failed. */
const FIELD_OF_STEP: Readonly<Record<string, string>> = {
  'client-data-text': '/response/clientDataJSON',
  'client-data': '/response/clientDataJSON',
  'attestation-object': '/response/attestationObject',
  'rp-id-hash': '/response/authenticatorData',
  signature: '/response/signature',
  'user-handle': '/response/userHandle',
};

/** Steps that could not be carried out, in their place, and hints that a mistake in the encoding explains. */
export function adaptSteps(reports: readonly StepReport[], missing: Missing, mistakes: readonly EncodingMistake[]): StepReport[] {
  return reports.map((report): StepReport => {
    const { section, number, slug, title } = report;
    const instead = missing.get(slug);
    return instead === undefined ? withFieldHint(report, mistakes) : { section, number, slug, title, ...instead };
  });
}

/** Bytes that make no sense because their text was misread: then that is the mistake to mend. */
function withFieldHint(report: StepReport, mistakes: readonly EncodingMistake[]): StepReport {
  const mistake = mistakes.find(
    ({ pointer, mistake: kind }) => pointer === FIELD_OF_STEP[report.slug] && ['hexadecimal', 'encoded-twice', 'cut-off'].includes(kind),
  );
  return report.status === 'fail' && mistake !== undefined ? { ...report, hint: mistake.message } : report;
}
