import { type HarCeremony, type HarFinding, harCeremonies } from './annotate/har.js';
import { NO_URL } from './annotate/har-entries.js';
import type { ReadCredential } from './annotate/read-credential.js';
import { type CeremonyInput, challengeState, type Knowledge, type Known, makeCeremony, type Recorded, withKnown } from './ceremonies.js';
import type { KnownError } from './document-schema.js';
import { findLibraryErrors } from './error-text.js';
import type { Expectations } from './expectations.js';
import { explainStringifiedTwice } from './json-inside-json.js';
import { findLookUpMistake } from './recorded-look-up.js';
import { findSessionMistake } from './recorded-session.js';
import type { KnownCredential } from './report/known-ceremony.js';
import { decodeText, readAlgorithms, readAllowed, readUserHandle, readUserVerification } from './requested-options.js';
import { isRefusal } from './server-answer.js';

/**
 * Lists the ceremonies of an HTTP archive or of a run of the test page. Each is checked against its options. A login is also checked
 * against the earlier registration that the server accepted. A recording does not show which origin and RP ID the server expects, nor
 * whether the server requires user verification even if the options do not.
 */
export async function ceremoniesOfHar(
  findings: readonly HarFinding[],
  { settings: expectations, now, knowledge }: { readonly settings: Expectations; readonly now: number; readonly knowledge: Knowledge },
): Promise<CeremonyInput[]> {
  /** Registrations by credential ID, in the encoding that the archive uses. */
  const registrations = new Map<unknown, HarCeremony>();
  const inputs: CeremonyInput[] = [];
  const all = harCeremonies(findings);
  const suggested = all.flatMap(({ answer }) => (answer !== undefined && isRefusal(answer) ? findLibraryErrors(answer.body) : []));
  for (const found of all) {
    const { kind, credential, options, url, mediation, answer } = found;
    const { id } = credential.json;
    const issued = decodeText(options?.['challenge']);
    const recorded = {
      ...(url !== NO_URL && { name: `${kind}, ${url}` }),
      challenge: challengeState(credential, issued === undefined ? [] : [issued]),
      userVerification: readUserVerification(options) === 'required' ? ('required' as const) : undefined,
      options,
      answer,
      mediation,
      algorithms: readAlgorithms(options),
      // A key that is given may be that of another credential.
      credential: kind === 'authentication' && expectations.publicKey === undefined ? registeredBy(registrations.get(id)) : undefined,
      allowCredentials: readAllowed(options),
      at: found.at ?? now,
    };
    if (kind === 'registration' && answer?.verdict === 'accepted') registrations.set(id, found);
    const known = await knowledge(kind, credential);
    const completed = known === undefined ? recorded : completedBy(known, recorded);
    const input = {
      ...makeCeremony(
        kind,
        credential,
        completed,
        answer?.verdict === 'accepted' ? withoutForeign(expectations, suggested, credential) : expectations,
      ),
      isUnanswered: url !== NO_URL && answer === undefined,
      recordedError:
        answer !== undefined && isRefusal(answer)
          ? (findSessionMistake(findings, credential) ?? findLookUpMistake(findings, credential, answer))
          : undefined,
      certainError: answer !== undefined && isRefusal(answer) ? explainStringifiedTwice(findings, credential) : undefined,
    };
    inputs.push(known === undefined ? input : withKnown(input, known));
  }
  return inputs;
}

/**
 * Removes the expected origins if all of them come from server errors and none is the origin in the client data. They then belong to other
 * ceremonies.
 */
function withoutForeign(
  expectations: Expectations,
  suggested: readonly KnownError[],
  { clientDataJSON: { decoded } }: ReadCredential,
): Expectations {
  const named = suggested.flatMap((error) => error.expectations).filter(({ member }) => member === 'origin');
  const isForeign = expectations.origins?.every((origin) => named.some(({ value }) => value === origin)) === true;
  const isMet = decoded?.ok === true && expectations.origins?.includes(decoded.value.origin) === true;
  return isForeign && !isMet ? { ...expectations, origins: undefined } : expectations;
}

/**
 * Combines the facts from the program that began the ceremony with those from the archive. The program's facts take precedence, since the
 * archive contains only the time and the messages.
 */
function completedBy({ recorded }: Known, inArchive: Recorded): Recorded {
  const said = Object.fromEntries(Object.entries(recorded).filter(([, value]) => value !== undefined));
  return { ...inArchive, ...said };
}

/**
 * Reads the credential record that a registration in the same archive created; undefined if the registration cannot be read, which its own
 * report shows.
 */
function registeredBy(registration: HarCeremony | undefined): KnownCredential | undefined {
  const data = registration?.credential.attestedData;
  if (data?.ok !== true || data.value.attestedCredentialData === undefined) return undefined;
  const { attestedCredentialData, signCount, flags } = data.value;
  return {
    publicKey: attestedCredentialData.credentialPublicKey,
    signCount,
    backupEligible: flags.be,
    backupState: flags.bs,
    userHandle: readUserHandle(registration?.options),
  };
}
