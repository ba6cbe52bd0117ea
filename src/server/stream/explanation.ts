import { PasskeyError } from '../../errors.js';
import { readCredential } from '../../explain/annotate/read-credential.js';
import { documentOfCeremony } from '../../explain/document.js';
import type { ExplainDocument } from '../../explain/document-schema.js';
import type { KnownAuthentication, KnownRegistration } from '../../explain/report/known-ceremony.js';
import { type CeremonyReport, reportAuthentication, reportRegistration } from '../../explain/report/report.js';
import { readAllowed } from '../../explain/requested-options.js';
import type { CeremonyFinished } from '../../relying-party/events.js';
import { AUTHENTICATION_STEPS } from '../../relying-party/steps/authentication.js';
import { REGISTRATION_STEPS } from '../../relying-party/steps/registration.js';
import type { Finished } from './ended.js';

type StepDocument = ExplainDocument['steps'][number];

const SOURCE = 'The response';

/**
 * Explains the end of a ceremony step by step, from what the server knew at that time. Keeps the verdict and the failed step that the
 * server reported. If the steps now give another result, an observation says so.
 */
export async function explainEnd(finished: Finished): Promise<ExplainDocument> {
  const { event } = finished;
  const { kind, error } = event;
  const outcome = await makeReport(finished);
  if (outcome instanceof PasskeyError || wasUnreadable(event)) return unreached(event, outcome);
  const document = documentOfCeremony(SOURCE, { kind, expected: undefined, outcome });
  return asDecided(document, event, error);
}

async function makeReport(finished: Finished): Promise<CeremonyReport | PasskeyError> {
  const credential = readCredential(finished.event.response);
  try {
    return finished.event.kind === 'registration'
      ? await reportRegistration(credential, knownRegistration(finished))
      : await reportAuthentication(credential, knownAuthentication(finished));
  } catch (error) {
    if (error instanceof PasskeyError && error.code === 'validation_failed') return error;
    throw error;
  }
}

/** Checks whether a response was refused as malformed, before the first verification step ran. */
function wasUnreadable({ error }: CeremonyFinished): boolean {
  return error?.code === 'validation_failed' && error.step === undefined;
}

function knownRegistration(finished: Finished): KnownRegistration {
  const { policy, credentialKnown, error } = finished.event;
  const { ceremony } = finished;
  return {
    ...readKnown(finished),
    mediation: ceremony?.mediation,
    algorithms: ceremony?.algorithms,
    attestationRoots: policy.attestationRoots,
    selfAttestation: policy.selfAttestation,
    metadata: policy.metadata,
    credentialKnown: error?.code === 'credential_already_registered' ? true : credentialKnown,
  };
}

function knownAuthentication(finished: Finished): KnownAuthentication {
  const { passkey, error } = finished.event;
  const { ceremony } = finished;
  const known = readKnown(finished);
  return {
    ...known,
    rpId: known.rpId ?? passkey?.rpId,
    credential:
      passkey === undefined
        ? error?.code === 'passkey_not_found'
          ? 'unregistered'
          : undefined
        : { ...passkey.credential, userHandle: passkey.userHandle },
    allowCredentials: ceremony?.credentialId === undefined ? readAllowed(ceremony?.options) : [ceremony.credentialId],
  };
}

function readKnown({ event, ceremony }: Finished) {
  return {
    rpId: ceremony?.rpId,
    origins: ceremony?.origins,
    challenge: event.challenge ?? (ceremony && ({ status: 'open', challenge: ceremony.challenge } as const)),
    topOrigins: ceremony?.topOrigins ?? [],
    userVerification: ceremony?.userVerification ?? 'preferred',
    whyUnknown: event.challenge === undefined ? ENDED_BEFORE : NO_CEREMONY,
    options: ceremony?.options,
    at: event.at,
  } as const;
}

const NO_CEREMONY = 'the challenge belongs to no ceremony of this server, so there is nothing to compare it with';
const ENDED_BEFORE = 'the server stopped before it looked for the ceremony';

/** Lists all verification steps as not reached, for a response that was refused before the first step. */
function unreached({ kind, error }: CeremonyFinished, outcome: CeremonyReport | PasskeyError): ExplainDocument {
  const refusal =
    error ?? (outcome instanceof PasskeyError ? outcome : new PasskeyError('validation_failed', 'The response is malformed.'));
  const document = documentOfCeremony(SOURCE, { kind, expected: undefined, outcome: refusal });
  const procedure = kind === 'registration' ? REGISTRATION_STEPS : AUTHENTICATION_STEPS;
  return {
    ...document,
    steps: procedure.map(({ section, number, slug, title }) => ({
      section,
      number,
      slug,
      title,
      status: 'skip',
      expected: null,
      received: null,
      code: null,
      hint: null,
      reason: 'not reached: the response was refused as malformed before the first step',
      open: false,
    })),
    encoding: outcome instanceof PasskeyError ? [] : outcome.encoding.map((entry) => ({ ...entry })),
  };
}

/** Replaces the verdict, the failed step and the error in an explanation by those that the server reported. */
function asDecided(document: ExplainDocument, { outcome }: CeremonyFinished, error: PasskeyError | undefined): ExplainDocument {
  const verdict = outcome === 'verified' ? 'accepted' : 'rejected';
  const steps = document.steps.map((step) => (step.slug === error?.step?.slug ? failedAs(step, error) : { ...step, open: false }));
  const fails = (step: StepDocument) => step.status === 'fail' && step.code === error?.code;
  const sameSteps = steps.every((step, index) => step.status === document.steps[index]?.status);
  const outside = error !== undefined && error.step === undefined && !steps.some(fails);
  return {
    ...document,
    verdict,
    steps: error?.code === 'passkey_not_found' ? steps.map((step) => (fails(step) ? { ...step, hint: error.message } : step)) : steps,
    error: outside ? { code: error.code, message: error.message } : document.error,
    observations: [...document.observations, ...(sameSteps && (outside || document.verdict === verdict) ? [] : [DECIDED_OTHERWISE])],
  };
}

const DECIDED_OTHERWISE = {
  slug: 'decided-otherwise',
  message:
    'An explanation from the stored data now gives another result: something other than the response decided, such as another request at the same moment. Verdict and failed step are those that the server gave.',
};

/** Converts a step to the failed step that the server reported. */
function failedAs(step: StepDocument, { code, step: failed }: PasskeyError): StepDocument {
  if (failed === undefined || (step.status === 'fail' && step.code === code)) return step;
  return {
    ...step,
    title: failed.title,
    status: 'fail',
    expected: failed.expected,
    received: failed.received,
    code,
    hint: failed.hint,
    reason: null,
    open: false,
  };
}
