import { PasskeyError } from '../errors.js';
import type { AttestationReport } from '../relying-party/attestation/verify-attestation.js';
import { STEP_REVISION, type StepReport, stepError } from '../relying-party/steps/step.js';
import { encodeBase64 } from '../webauthn/base64url.js';
import type { AnnotatedNode } from './annotate/node.js';
import type { ExplainDocument, TreeDocument } from './document-schema.js';
import type { Explained, ExplainedCeremony } from './explain.js';
import { NOTHING_EXPLAINED } from './nothing-explained.js';
import type { CeremonyReport } from './report/report.js';
import { agreesWith } from './server-answer.js';
import type { UnansweredCall } from './unanswered.js';

type Base = Pick<ExplainDocument, 'source' | 'name' | 'input'>;

/**
 * Makes the JSON documents of one input: one for each ceremony of an archive, otherwise a single document. Only a single document includes
 * the tree.
 */
export function writeDocuments(source: string, explained: Explained): ExplainDocument[] {
  const { recognised, ceremonies, unanswered, advice, knownErrors, tree } = explained;
  const base: Base = { source, name: null, input: { kind: recognised.kind, encodings: [...recognised.encodings] } };
  const rest = {
    advice: advice.map((entry) => ({ ...entry })),
    tree: tree && ceremonies.length + unanswered.length < 2 ? writeTree(tree) : null,
  };
  return ceremonies.length + unanswered.length === 0
    ? [
        {
          ...NO_CEREMONY,
          ...base,
          ...rest,
          known_errors: [...knownErrors],
          error: explained.unreadable === undefined ? null : writeError(explained.unreadable),
        },
      ]
    : [
        ...ceremonies.map((ceremony) => ({ ...writeCeremony(ceremony), ...base, name: ceremony.name ?? null, ...rest })),
        ...unanswered.map((call) => ({ ...NO_CEREMONY, ...writeUnanswered(call), ...base, name: call.name, ...rest })),
      ];
}

/** Makes the JSON document of one ceremony that does not come from a file. It has no tree. */
export function documentOfCeremony(source: string, ceremony: ReportedCeremony): ExplainDocument {
  return { ...writeCeremony(ceremony), source, name: null, input: null, advice: [], tree: null };
}

/** Makes the JSON document of an input that cannot be explained, to be listed with the documents of other inputs. */
export function documentOfError(source: string, error: PasskeyError): ExplainDocument {
  return { ...NO_CEREMONY, source, error: writeError(error) };
}

function writeError({ code, message }: PasskeyError): NonNullable<ExplainDocument['error']> {
  return { code, message };
}

const NO_CEREMONY: ExplainDocument = { ...NOTHING_EXPLAINED, revision: STEP_REVISION };

type ReportedCeremony = Pick<ExplainedCeremony, 'kind' | 'outcome' | 'expected'> &
  Partial<Pick<ExplainedCeremony, 'answer' | 'knownErrors' | 'headline'>>;

function writeCeremony({ kind, outcome, expected, answer, headline, knownErrors = [] }: ReportedCeremony) {
  const common = {
    ceremony: kind,
    headline: headline ?? null,
    server: answer === undefined ? null : { ...answer, agrees: agreesWith(answer, outcome) ?? null },
    known_errors: [...knownErrors],
    revision: STEP_REVISION,
    expected: expected ?? null,
  };
  if (outcome instanceof PasskeyError) {
    return { ...NO_CEREMONY, ...common, verdict: 'rejected' as const, error: writeError(outcome) };
  }
  return {
    ...common,
    ...writeReport(outcome),
    error: outcome.disagreement === undefined ? null : writeError(stepError(outcome.disagreement)),
  };
}

function writeUnanswered({ kind, headline, reasons }: UnansweredCall) {
  return { ceremony: kind, headline, known_errors: [...reasons] };
}

function writeReport({ verdict, steps, library, difference, attestation, observations, encoding }: CeremonyReport) {
  return {
    verdict,
    steps: steps.map(writeStep),
    library: { verdict: library.verdict, reason: library.reason ?? null },
    difference: difference ?? null,
    attestation: attestation === undefined ? null : writeAttestation(attestation),
    observations: observations.map((entry) => ({ ...entry })),
    encoding: encoding.map((entry) => ({ ...entry })),
  };
}

function writeStep(step: StepReport): ExplainDocument['steps'][number] {
  const { section, number, slug, title, failure, status } = step;
  const base = { section, number, slug, title, status, expected: null, received: null, code: null, hint: null, reason: null, open: false };
  switch (step.status) {
    case 'pass':
      return { ...base, expected: step.expected, received: step.received };
    case 'fail':
      return { ...base, title: failure, expected: step.expected, received: step.received, code: step.code, hint: step.hint };
    case 'skip':
      return { ...base, reason: step.reason, open: step.open === true };
  }
}

function writeAttestation({
  fmt,
  verdict,
  attestationType,
  trust,
  trustPath,
  checks,
}: AttestationReport): NonNullable<ExplainDocument['attestation']> {
  return {
    format: fmt,
    type: attestationType,
    verdict,
    trust: trust.status,
    x5c: trustPath.map(encodeBase64),
    checks: checks.map((check) => ({ ...check, hint: check.hint ?? null })),
  };
}

export function writeTree({ label, offset, length, value, note, error, children }: AnnotatedNode): TreeDocument {
  return {
    label,
    offset: offset ?? null,
    length: length ?? null,
    value: value ?? null,
    note: note ?? null,
    error: error ?? null,
    children: (children ?? []).map(writeTree),
  };
}
