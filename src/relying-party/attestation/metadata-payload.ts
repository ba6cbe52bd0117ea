import { PasskeyError } from '../../errors.js';
import { isObject, type JsonObject } from '../../kernel/json-value.js';
import { formatAaguid, parseAaguid } from '../../webauthn/aaguid.js';
import { attempt } from './sub-check.js';

/** The members of a StatusReport (FIDO Metadata Service 3.1) that this package uses. */
export interface MetadataStatusReport {
  /** An AuthenticatorStatus. May be a value that was defined after this program was written. */
  readonly status: string;
  /** Date in ISO 8601 format. */
  readonly effectiveDate: string | undefined;
  readonly authenticatorVersion: number | undefined;
  /** The certificates that the report is about, as base64 of DER. If empty, the report is about the whole model. */
  readonly certificates: readonly string[];
}

/** A MetadataBLOBPayloadEntry (FIDO Metadata Service 3.1), with those members of its metadata statement that this package uses. */
export interface MetadataEntry {
  /** JSON Pointer to the entry in the payload of the BLOB. */
  readonly pointer: string;
  /** AAGUID as text in lower case; undefined for U2F and UAF models. */
  readonly aaguid: string | undefined;
  /** SHA-1 hashes of the public keys in attestation certificates (RFC 5280 §4.2.1.2 method 1), in lower-case hexadecimal. */
  readonly attestationCertificateKeyIdentifiers: readonly string[];
  readonly description: string | undefined;
  /** Attestation types, e.g. `basic_full`, `basic_surrogate`, `attca`. */
  readonly attestationTypes: readonly string[];
  /** Trust anchors, as base64 of DER. Each may be a root, an intermediate or an attestation certificate. */
  readonly attestationRootCertificates: readonly string[];
  readonly statusReports: readonly MetadataStatusReport[];
}

/** A MetadataBLOBPayload (FIDO Metadata Service 3.1). */
export interface MetadataPayload {
  readonly legalHeader: string | undefined;
  /** Serial number of the BLOB. */
  readonly no: number;
  /** Start of the day (UTC) by which the FIDO Alliance will publish the next BLOB, in milliseconds since the epoch. */
  readonly nextUpdate: number;
  readonly entries: readonly MetadataEntry[];
}

/**
 * Checks the payload of a BLOB, and returns the members that this package uses.
 *
 * @throws PasskeyError `validation_failed` with the JSON Pointer of the first wrong member.
 */
export function readMetadataPayload(payload: JsonObject): MetadataPayload {
  return {
    legalHeader: optional(payload, '', 'legalHeader', text),
    no: required(payload, '', 'no', serialNumber),
    nextUpdate: Date.parse(required(payload, '', 'nextUpdate', date)),
    entries: required(payload, '', 'entries', objects).map((entry, index) => readEntry(entry, `/entries/${index}`)),
  };
}

function readEntry(entry: JsonObject, pointer: string): MetadataEntry {
  const statement = optional(entry, pointer, 'metadataStatement', object) ?? {};
  const inside = `${pointer}/metadataStatement`;
  return {
    pointer,
    aaguid: optional(entry, pointer, 'aaguid', aaguid),
    attestationCertificateKeyIdentifiers: optional(entry, pointer, 'attestationCertificateKeyIdentifiers', keyIdentifiers) ?? [],
    description: optional(statement, inside, 'description', text),
    attestationTypes: optional(statement, inside, 'attestationTypes', texts) ?? [],
    attestationRootCertificates: optional(statement, inside, 'attestationRootCertificates', texts) ?? [],
    statusReports: required(entry, pointer, 'statusReports', objects).map((report, index) =>
      readReport(report, `${pointer}/statusReports/${index}`),
    ),
  };
}

function readReport(report: JsonObject, pointer: string): MetadataStatusReport {
  return {
    status: required(report, pointer, 'status', text),
    effectiveDate: optional(report, pointer, 'effectiveDate', date),
    authenticatorVersion: optional(report, pointer, 'authenticatorVersion', serialNumber),
    certificates: ['certificate', 'batchCertificate'].flatMap((name) => optional(report, pointer, name, text) ?? []),
  };
}

interface Kind<T> {
  readonly name: string;
  /** Converts the value of a member; undefined if the value has the wrong type. */
  read(value: unknown): T | undefined;
}

const text: Kind<string> = { name: 'a text', read: (value) => (typeof value === 'string' && value !== '' ? value : undefined) };
const object: Kind<JsonObject> = { name: 'an object', read: (value) => (isObject(value) ? value : undefined) };
const objects = readArray(object, 'an array of objects');
const texts = readArray(text, 'an array of strings');
const keyIdentifiers = readArray(
  {
    name: '',
    read: (value) => (typeof value === 'string' && /^[0-9a-f]{40}$/i.test(value) ? value.toLowerCase() : undefined),
  },
  'an array of key identifiers, 40 hexadecimal digits each',
);
const serialNumber: Kind<number> = {
  name: 'a whole number',
  read: (value) => (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined),
};
const date: Kind<string> = {
  name: 'a date such as 2026-01-31',
  read: (value) => (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined),
};
const aaguid: Kind<string> = {
  name: 'an AAGUID in 8-4-4-4-12 hexadecimal digits',
  read: (value) => {
    const read = attempt(() => formatAaguid(parseAaguid(String(value))));
    return read.ok ? read.value : undefined;
  },
};

function readArray<T>(item: Kind<T>, name: string): Kind<readonly T[]> {
  return {
    name,
    read(value) {
      const items = Array.isArray(value) ? value.map((entry: unknown) => item.read(entry)) : [undefined];
      const read = items.filter((entry) => entry !== undefined);
      return read.length === items.length ? read : undefined;
    },
  };
}

function optional<T>(parent: JsonObject, at: string, name: string, kind: Kind<T>): T | undefined {
  return parent[name] === undefined ? undefined : required(parent, at, name, kind);
}

function required<T>(parent: JsonObject, at: string, name: string, kind: Kind<T>): T {
  const value = parent[name];
  const read = kind.read(value);
  if (read === undefined) {
    const pointer = `${at}/${name}`;
    const detail = `expected ${kind.name}, got ${show(value)}`;
    throw new PasskeyError('validation_failed', `The payload of the metadata BLOB at ${pointer}: ${detail}. Download it again.`, {
      errors: [{ pointer, detail }],
    });
  }
  return read;
}

function show(value: unknown): string {
  const json = value === undefined ? 'nothing' : JSON.stringify(value);
  return json.length > 60 ? `${json.slice(0, 60)}…` : json;
}
