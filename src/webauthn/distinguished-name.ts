import { equalBytes } from '../kernel/bytes.js';
import { children, type DerElement, DerSyntaxError, encoded, expectUniversal, sequence, TAG } from './der.js';
import { characterString, objectIdentifier } from './der-values.js';

/** One attribute of a relative distinguished name. */
export interface NameAttribute {
  readonly oid: string;
  /** Short name of the attribute, e.g. `CN`, or its OID if it has none. */
  readonly name: string;
  readonly text: string;
  /** ASN.1 type of the value's string, e.g. `UTF8String`. */
  readonly type: string;
}

/** Name of a certificate's subject or issuer (RFC 5280 §4.1.2.4). */
export interface DistinguishedName {
  /** Relative distinguished names, in the order of the certificate. Most have a single attribute; in TPM certificates they have several. */
  readonly rdns: readonly (readonly NameAttribute[])[];
  /** The whole name in DER. */
  readonly bytes: Uint8Array;
}

/** OIDs of name attributes, keyed by the attribute's short name from RFC 4514 where it has one. */
export const NAME_ATTRIBUTE = {
  CN: '2.5.4.3',
  SN: '2.5.4.4',
  serialNumber: '2.5.4.5',
  C: '2.5.4.6',
  L: '2.5.4.7',
  ST: '2.5.4.8',
  street: '2.5.4.9',
  O: '2.5.4.10',
  OU: '2.5.4.11',
  title: '2.5.4.12',
  UID: '0.9.2342.19200300.100.1.1',
  DC: '0.9.2342.19200300.100.1.25',
  emailAddress: '1.2.840.113549.1.9.1',
  // TCG EK Credential Profile §3.1.2.
  tpmManufacturer: '2.23.133.2.1',
  tpmModel: '2.23.133.2.2',
  tpmVersion: '2.23.133.2.3',
} as const;

const SHORT_NAMES: ReadonlyMap<string, string> = new Map(Object.entries(NAME_ATTRIBUTE).map(([name, oid]) => [oid, name]));

/** Reads a distinguished name. @throws DerSyntaxError */
export function readName(element: DerElement | undefined, name: string, parent?: DerElement): DistinguishedName {
  const sets = sequence(element, name, parent);
  return {
    rdns: sets.map(readRelativeName),
    bytes: element === undefined ? new Uint8Array() : encoded(element),
  };
}

function readRelativeName(set: DerElement): NameAttribute[] {
  const attributes = children(expectUniversal(set, TAG.set, 'a relative distinguished name'));
  if (attributes.length === 0) throw new DerSyntaxError(set.end, 'expected an attribute of a relative distinguished name, got the end');
  return attributes.map(readAttribute);
}

function readAttribute(element: DerElement): NameAttribute {
  const [type, value] = sequence(element, 'an attribute of a name');
  const oid = objectIdentifier(type, 'the type of an attribute', element);
  const string = value?.class === 'universal' && value.tag !== TAG.bitString ? characterString(value) : { text: '', type: 'none' };
  return { oid, name: SHORT_NAMES.get(oid) ?? oid, ...string };
}

/** Lists every attribute of a name, in order. */
export function nameAttributes({ rdns }: DistinguishedName): NameAttribute[] {
  return rdns.flat();
}

/** Formats a name for people: `C=SE, O=Yubico AB, CN=…`; `(empty)` for a name without attributes. */
export function showName({ rdns }: DistinguishedName): string {
  const shown = rdns.map((rdn) => rdn.map(({ name, text }) => `${name}=${text}`).join(' + '));
  return shown.length === 0 ? '(empty)' : shown.join(', ');
}

/** Compares two names by RFC 5280 §7.1, ignoring case, the length of white space and the ASN.1 type of the strings. */
export function sameName(a: DistinguishedName, b: DistinguishedName): boolean {
  return equalBytes(a.bytes, b.bytes) || canonical(a) === canonical(b);
}

function canonical({ rdns }: DistinguishedName): string {
  const fold = (text: string) => text.normalize('NFKC').trim().replace(/\s+/gu, ' ').toLowerCase();
  return JSON.stringify(rdns.map((rdn) => rdn.map(({ oid, text }) => JSON.stringify([oid, fold(text)])).toSorted()));
}
