import { count } from '../../kernel/wording.js';
import { formatAaguid } from '../../webauthn/aaguid.js';
import type { AttestationObject, AttestationStatement } from '../../webauthn/attestation-object.js';
import { type AuthenticatorData, decodeAuthenticatorData } from '../../webauthn/authenticator-data.js';
import type { Certificate } from '../../webauthn/certificate.js';
import type { AttestationFormatId } from '../../webauthn/enumerations.js';
import { ATTESTATION_FORMAT_IDS } from '../../webauthn/enumerations.js';
import { showText } from '../show.js';
import { verifyAndroidKey } from './android-key.js';
import { verifyAndroidSafetyNet } from './android-safetynet.js';
import { verifyApple } from './apple.js';
import { type CompoundPart, verifyCompound } from './compound.js';
import { verifyFidoU2f } from './fido-u2f.js';
import type { MetadataBlob } from './metadata-blob.js';
import type { MetadataFinding } from './metadata-status.js';
import { verifyPacked } from './packed.js';
import { type AttestationType, type StatementFinding, type StatementInput } from './statement.js';
import { attempt, judge, type Requirement, type SubCheck } from './sub-check.js';
import { verifyTpm } from './tpm.js';
import { assessTrust, type TrustFinding } from './trust.js';

/** `undetermined`: nothing failed, but some signature could not be verified, so the statement must not be trusted. */
type AttestationVerdict = 'accepted' | 'rejected' | 'undetermined';

interface AttestationInput extends Pick<StatementInput, 'credentialKey' | 'clientDataHash' | 'at' | 'mlDsa'> {
  readonly attestationObject: AttestationObject;
  /** `authData` of the attestation object, if already decoded. */
  readonly authenticatorData?: AuthenticatorData | undefined;
  /** Acceptable trust anchors, see `readRoots`. If they are not given, trust is not assessed. */
  readonly roots?: readonly Certificate[] | undefined;
  /** FIDO metadata. The root certificates that it lists for the authenticator's model are acceptable trust anchors too. */
  readonly metadata?: MetadataBlob | undefined;
}

/** Result of W3C WebAuthn L3 §7.1 steps 22 and 24. `trust` is separate and does not influence the verdict. */
export interface AttestationReport {
  readonly fmt: string;
  readonly verdict: AttestationVerdict;
  /** Results of the checks of the statement (§8) and of the certification path (RFC 5280). The slugs of the latter begin with `chain-`. */
  readonly checks: readonly SubCheck[];
  readonly attestationType: AttestationType;
  /**
   * Certificates in DER, beginning with the attestation certificate. Empty if there are none, and for a compound attestation, whose parts
   * have their own.
   */
  readonly trustPath: readonly Uint8Array[];
  /** The certificates of `trustPath`, decoded. */
  readonly certificates: readonly Certificate[];
  readonly trust: TrustFinding;
  /** Status reports about the authenticator's model in the FIDO metadata; empty if no metadata was given. */
  readonly statuses: readonly MetadataFinding[];
  /** Reports on the single statements of a compound attestation. */
  readonly parts?: readonly AttestationReport[];
}

/**
 * Verifiers of the attestation formats of W3C WebAuthn L3 §8. `compound` is missing, since each of its statements is verified separately.
 */
const VERIFIERS: Readonly<Record<Exclude<AttestationFormatId, 'compound'>, (input: StatementInput) => StatementFinding>> = {
  none: verifyNone,
  packed: verifyPacked,
  tpm: verifyTpm,
  'android-key': verifyAndroidKey,
  'android-safetynet': verifyAndroidSafetyNet,
  'fido-u2f': verifyFidoU2f,
  apple: verifyApple,
};
const FORMATS = new Map<string, (input: StatementInput) => StatementFinding>(Object.entries(VERIFIERS));

/** Makes the requirement that the format is known. A compound attestation may not contain another one (§8.9). */
function formatRequirement(parent: string): Requirement {
  return {
    slug: 'format',
    reference: '§8.1',
    expected: (parent === 'compound' ? [...FORMATS.keys()] : ATTESTATION_FORMAT_IDS).join(', '),
    hint: 'Ask for attestation "none", or name a format of §8 in attestationFormats.',
  };
}
const AUTHENTICATOR_DATA: Requirement = {
  slug: 'authenticator-data',
  reference: '§6.5',
  expected: 'authenticator data with attested credential data',
  hint: 'Without attested credential data, the statement is about nothing.',
};

/**
 * Verifies the attestation statement of a registration by the procedure of its format (W3C WebAuthn L3 §8) and checks its trust path
 * against `roots`. Never throws because of the authenticator's data.
 */
export function verifyAttestation(input: AttestationInput): AttestationReport {
  const { attestationObject, roots = [], at } = input;
  const { fmt, attStmt, authData, statements } = attestationObject;
  const decoded = attempt(() => input.authenticatorData ?? decodeAuthenticatorData(authData));
  const credential = decoded.ok ? decoded.value.attestedCredentialData : undefined;
  if (!decoded.ok || credential === undefined) {
    const received = decoded.ok ? 'no attested credential data' : decoded.message;
    const checks = [judge(AUTHENTICATOR_DATA, false, received)];
    return report(fmt, { checks, attestationType: 'unknown', certificates: [] }, { ...input, aaguid: undefined });
  }
  const model = { ...input, aaguid: credential.aaguid };
  const verify = (statement: AttestationStatement) => verifyStatement(statement, decoded.value, credential, input);
  if (fmt !== 'compound') {
    return report(fmt, verify({ fmt, attStmt }), model);
  }
  const { parts, ...finding } = verifyCompound(statements ?? [], (statement): CompoundPart => {
    const part = verify(statement);
    return { ...part, fmt: statement.fmt, verdict: judgeChecks(part.checks) };
  });
  const reports = parts.map((part) => report(part.fmt, part, model));
  const statuses = reports.flatMap((part) => part.statuses);
  return { ...report(fmt, finding, model), parts: reports, statuses, trust: compoundTrust(reports, assessTrust([], roots, at)) };
}

function verifyStatement(
  { fmt, attStmt }: AttestationStatement,
  { rpIdHash }: AuthenticatorData,
  credential: StatementInput['credential'],
  input: AttestationInput,
): StatementFinding {
  const verify = FORMATS.get(fmt);
  if (verify === undefined) {
    return {
      checks: [judge(formatRequirement(input.attestationObject.fmt), false, showText(fmt))],
      attestationType: 'unknown',
      certificates: [],
    };
  }
  const { attestationObject, credentialKey, clientDataHash, at, mlDsa } = input;
  const { authData } = attestationObject;
  return verify({ attStmt, authData, rpIdHash, credential, credentialKey, clientDataHash, at, mlDsa });
}

type ModelInput = AttestationInput & { readonly aaguid: Uint8Array | undefined };

function report(fmt: string, finding: StatementFinding, { roots = [], metadata, mlDsa, at, aaguid }: ModelInput): AttestationReport {
  const { checks, attestationType, certificates } = finding;
  const model = aaguid && { fmt, aaguid: formatAaguid(aaguid), attestationCertificates: certificates };
  return {
    fmt,
    verdict: judgeChecks(checks),
    checks,
    attestationType,
    trustPath: certificates.map(({ bytes }) => bytes),
    certificates,
    trust: assessTrust(certificates, [...roots, ...((model && metadata?.rootsFor(model)) ?? [])], at, mlDsa),
    statuses: (model && metadata?.statusOf(model)) ?? [],
  };
}

/** Slugs of the checks without which no verdict is possible: if such a check could not be made, the verdict stays open. */
const ESSENTIAL: ReadonlySet<string> = new Set(['signature', 'chain-signatures', 'public-key', 'name']);

/** Finds a skipped check that leaves the verdict open. Most other checks can be skipped without changing the verdict. */
export function findOpenCheck(checks: readonly SubCheck[]): SubCheck | undefined {
  return checks.find(({ status, slug }) => status === 'skip' && ESSENTIAL.has(slug.slice(slug.lastIndexOf('/') + 1)));
}

function judgeChecks(checks: readonly SubCheck[]): AttestationVerdict {
  if (checks.some(({ status }) => status === 'fail')) {
    return 'rejected';
  }
  return findOpenCheck(checks) === undefined ? 'accepted' : 'undetermined';
}

/**
 * Assesses the trust of a compound attestation. All its statements are about the same credential, and all must verify. If one of them leads
 * to a root certificate, that is enough to trust the credential.
 */
function compoundTrust(parts: readonly AttestationReport[], none: TrustFinding): TrustFinding {
  const order = ['trusted', 'untrusted', 'not-assessed'] as const;
  const found = order.map((status) => parts.find(({ trust }) => trust.status === status)?.trust);
  return found.find((trust) => trust !== undefined) ?? none;
}

/** Verifies an attestation statement of the format `none` (§8.7). */
function verifyNone({ attStmt }: StatementInput): StatementFinding {
  const requirement = {
    slug: 'syntax',
    reference: '§8.7',
    expected: 'an empty map',
    hint: 'The client must empty the statement when it sets fmt to "none".',
  };
  return {
    checks: [judge(requirement, attStmt.size === 0, attStmt.size === 0 ? 'an empty map' : count(attStmt.size, 'member'))],
    attestationType: 'none',
    certificates: [],
  };
}
