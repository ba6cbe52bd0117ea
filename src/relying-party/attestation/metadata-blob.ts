import { createHash } from 'node:crypto';
import { PasskeyError } from '../../errors.js';
import { decodeUtf8, encodeUtf8, toHex } from '../../kernel/bytes.js';
import { locateJsonError } from '../../kernel/json-location.js';
import { clause, formatSecond } from '../../kernel/wording.js';
import { decodeBase64url } from '../../webauthn/base64url.js';
import type { Certificate } from '../../webauthn/certificate.js';
import { type Jws, readJws } from './jws.js';
import { type MetadataEntry, type MetadataPayload, readMetadataPayload } from './metadata-payload.js';
import { checkMetadataSignature } from './metadata-signature.js';
import { type MetadataFinding, readFinding, readMetadataCertificate } from './metadata-status.js';
import { attempt, decide, type Requirement, type SubCheck } from './sub-check.js';

interface MetadataSettings {
  /**
   * Root certificates, to one of which the certificate chain of the BLOB must lead. The BLOB of the FIDO Alliance leads to GlobalSign Root
   * R3.
   */
  readonly roots: readonly Certificate[];
  /** Time at which the signer's certificates must be valid, in milliseconds since the epoch. */
  readonly at: number;
}

/** Facts in an attestation that identify the model of the authenticator. */
export interface AuthenticatorModel {
  /**
   * Format of the attestation statement. A `fido-u2f` statement does not sign the AAGUID (§8.6), so the model is identified only by the key
   * of the attestation certificate.
   */
  readonly fmt: string;
  /** AAGUID as text, in upper or lower case; all zeros for U2F. */
  readonly aaguid: string;
  /** Trust path, beginning with the attestation certificate; may be empty. */
  readonly attestationCertificates: readonly Certificate[];
}

/** A FIDO Metadata Service BLOB whose signature was verified. */
export interface MetadataBlob extends Omit<MetadataPayload, 'entries'> {
  readonly signer: Certificate;
  /** Results of the checks of signature and age. No check has failed, but some may have a warning. */
  readonly checks: readonly SubCheck[];
  find(model: AuthenticatorModel): MetadataEntry | undefined;
  /**
   * Returns the trust anchors of a model; empty if the BLOB does not list the model, or lists it without anchors. Unreadable certificates
   * are left out, and reported by `statusOf`.
   */
  rootsFor(model: AuthenticatorModel): Certificate[];
  /** Returns the description of the model with this AAGUID, which may be in upper or lower case. */
  nameOf(aaguid: string): string | undefined;
  /**
   * Returns the status reports of a model in order; empty if the BLOB does not list the model. They are followed by the reports of other
   * entries that list a key of the model's trust path.
   */
  statusOf(model: AuthenticatorModel): MetadataFinding[];
}

const DAY = 86_400_000;
const NEXT_UPDATE: Requirement = {
  slug: 'metadata-stale',
  reference: 'FIDO Metadata Service 3.1, Metadata BLOB Payload',
  expected: 'a BLOB whose nextUpdate has not passed',
  hint: 'Newer status reports are missing. Download the BLOB again.',
};

/**
 * Reads a metadata BLOB of the FIDO Alliance. It is a JWT in compact serialization (FIDO Metadata Service 3.1, Metadata BLOB), signed by
 * the first certificate of its x5c.
 *
 * @throws PasskeyError `validation_failed` naming the mistake and its position, if the file is not a BLOB, its signature is wrong, or its
 * chain does not lead to any of `roots`.
 */
export function readMetadataBlob(bytes: Uint8Array, { roots, at }: MetadataSettings): MetadataBlob {
  const jws = readBlob(bytes);
  if (roots.length === 0) {
    throw refused('its signer cannot be verified, because no root is given. Give that of the FIDO Alliance, GlobalSign Root R3.');
  }
  const { checks, signer } = checkMetadataSignature(jws, roots, at);
  const failed = checks.find(({ status }) => status === 'fail');
  if (failed !== undefined || signer === undefined) {
    throw refused(
      failed === undefined ? 'no signer' : `expected ${failed.expected}; got ${clause(failed.received)}. ${failed.hint ?? ''}`.trimEnd(),
    );
  }
  const { entries, ...payload } = readMetadataPayload(jws.payload);
  const age = decide(
    NEXT_UPDATE,
    at < payload.nextUpdate + DAY ? 'pass' : 'warn',
    `nextUpdate ${formatSecond(payload.nextUpdate).slice(0, 10)}`,
  );
  return { ...payload, signer, checks: [...checks, age], ...lookUps(entries) };
}

function lookUps(entries: readonly MetadataEntry[]): Pick<MetadataBlob, 'find' | 'rootsFor' | 'nameOf' | 'statusOf'> {
  const byAaguid = new Map(entries.flatMap((entry) => (entry.aaguid === undefined ? [] : [[entry.aaguid, entry] as const])));
  const byKey = new Map(entries.flatMap((entry) => entry.attestationCertificateKeyIdentifiers.map((key) => [key, entry] as const)));
  const entriesOf = ({ fmt, aaguid, attestationCertificates }: AuthenticatorModel): readonly MetadataEntry[] => {
    const claimed = fmt === 'fido-u2f' ? undefined : byAaguid.get(aaguid.toLowerCase());
    const found = [claimed, ...attestationCertificates.map((certificate) => byKey.get(keyIdentifier(certificate)))];
    return [...new Set(found)].filter((entry) => entry !== undefined);
  };
  const find = (model: AuthenticatorModel) => entriesOf(model)[0];
  return {
    find,
    rootsFor: (model) => readRoots(find(model)).flatMap((root) => (root.ok ? root.value : [])),
    nameOf: (aaguid) => byAaguid.get(aaguid.toLowerCase())?.description,
    statusOf: (model) =>
      entriesOf(model).flatMap((entry) => [
        ...entry.statusReports.map((report) => readFinding(report, model.attestationCertificates)),
        ...readRoots(entry).flatMap((root, index) => (root.ok ? [] : unreadable(entry, index, root.message))),
      ]),
  };
}

function readRoots(entry: MetadataEntry | undefined) {
  return (entry?.attestationRootCertificates ?? []).map((text) => attempt(() => readMetadataCertificate(text)));
}

/**
 * Makes the report that a root certificate in the metadata cannot be read. One unreadable certificate among thousands must not make the
 * whole BLOB unusable.
 */
function unreadable(entry: MetadataEntry, index: number, why: string): MetadataFinding {
  const pointer = `${entry.pointer}/metadataStatement/attestationRootCertificates/${index}`;
  return {
    status: 'ROOT_UNREADABLE',
    severity: 'warn',
    effectiveDate: undefined,
    message: `FIDO metadata has a root at ${pointer} that cannot be read and is left out: ${why}`,
  };
}

/** Computes the key identifier of a certificate by method 1 of RFC 5280 §4.2.1.2. */
function keyIdentifier({ publicKey }: Certificate): string {
  return toHex(createHash('sha1').update(publicKey.key).digest());
}

function readBlob(bytes: Uint8Array): Jws {
  const read = attempt(() => {
    const text = decodeUtf8(bytes).trim();
    return { text, jws: attempt(() => readJws(encodeUtf8(text))) };
  });
  if (!read.ok) {
    throw refused(read.message);
  }
  const { text, jws } = read.value;
  if (!jws.ok) {
    const why = (placeOfError(text) ?? jws.message).replace(/\.$/, '');
    throw refused(`${why}. Expected a JWT: header, payload and signature in base64url, with dots between them.`);
  }
  return jws.value;
}

/** Names the malformed part of a JWT, and the position of the error in that part. */
function placeOfError(text: string): string | undefined {
  const parts = text.split('.');
  if (parts.length !== 3) return undefined;
  for (const [index, name] of ['header', 'payload', 'signature'].entries()) {
    const decoded = attempt(() => decodeBase64url(parts[index] ?? ''));
    if (!decoded.ok) return `in the ${name}: ${decoded.message}`;
    const json = name === 'signature' ? undefined : attempt(() => locateJsonError(decodeUtf8(decoded.value)));
    if (json?.ok === false) return `in the ${name}: ${json.message}`;
    if (json?.value !== undefined) {
      const { line, column, expected, received } = json.value;
      return `in the ${name}, ${line}:${column} (line:column): expected ${expected}, got ${received}`;
    }
  }
  return undefined;
}

function refused(why: string): PasskeyError {
  return new PasskeyError('validation_failed', `The metadata BLOB cannot be used: ${why.trim()}`);
}
