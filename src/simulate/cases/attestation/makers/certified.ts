import { type AttestationKey, type CertifiedKey, ecAttestationKey } from '../../../../authenticator/attestation/attestation-key.js';
import {
  type AttestationLine,
  authorityOf,
  type CertificateFields,
  createAttestationAuthority,
  type Issuer,
  issueCertificate,
  issuerExtensions,
  keyIdentifier,
  type Leaf,
} from '../../../../authenticator/attestation/authority.js';
import type { AttestationInput } from '../../../../authenticator/attestation/format.js';
import type { StatementToWrite } from '../../../../webauthn/attestation-object.js';
import type { CborMap } from '../../../../webauthn/cbor.js';
import { country, type Name, named, WRITE_EXTENSION } from '../../../../webauthn/certificate-writer.js';
import type { ByteEdit } from '../../../engine/edits.js';
import { type CertificateEdit, withExtension } from './edits.js';

/** The public authority for tests. Targets trust its root where a case needs that. */
export const AUTHORITY = createAttestationAuthority();

/** Other keys under the same names: who compares names alone takes it for the test root. */
export const NAMESAKE = createAttestationAuthority({ seed: 'passkey authority of a forger' });

/** An authority that nobody trusts, with names of its own. */
export const FORGER = authorityOf({ ...NAMESAKE.profile, commonName: 'Forged attestation', organization: 'Forger' });

interface IssuedBy {
  readonly issuer: Pick<Issuer, 'key' | 'name'>;
  /** What stands behind the attestation certificate in `x5c`. */
  readonly path: readonly Uint8Array[];
}

/** What differs from an honest statement. Signatures are made after the changes. */
export interface StatementChange {
  /** What the statement says that it is about, in place of the registration at hand. */
  readonly about?: (input: AttestationInput) => AttestationInput;
  /** The attestation certificate, before its issuer signs it. */
  readonly leaf?: (fields: CertificateFields, input: AttestationInput) => CertificateFields;
  /** Who issues the attestation certificate, whose key and subject are given. */
  readonly issued?: (own: { readonly key: AttestationKey; readonly name: Name }) => IssuedBy;
  readonly x5c?: (x5c: readonly Uint8Array[]) => readonly Uint8Array[];
  /** The attestation key, certified and signing. */
  readonly key?: (input: AttestationInput) => AttestationKey | Promise<AttestationKey>;
  /** Who signs in place of the key that is certified. */
  readonly signer?: (input: AttestationInput, certified: AttestationKey) => AttestationKey;
  /** What is signed in place of what should be. */
  readonly signs?: ByteEdit;
  /** Last of all. */
  readonly members?: (attStmt: CborMap, input: AttestationInput) => CborMap | Promise<CborMap>;
}

/** The key with its certificates, after the changes to both. */
export function certifiedKey(
  line: AttestationLine,
  { key, input, ...leaf }: Omit<Leaf, 'publicKey'> & { readonly key: AttestationKey; readonly input: AttestationInput },
  { leaf: edit = (fields) => fields, issued, x5c = (all) => all, signer, signs }: StatementChange,
): CertifiedKey {
  const prepared = AUTHORITY.prepare(line, { ...leaf, publicKey: key.publicKey });
  const { issuer, path } = issued?.({ key, name: prepared.fields.subject }) ?? prepared;
  const below = issued === undefined ? prepared.fields : withExtension(authorityKey(issuer))(prepared.fields);
  const signing = signer?.(input, key) ?? key;
  return {
    key: signs === undefined ? signing : { ...signing, sign: (data) => signing.sign(signs(data)) },
    x5c: x5c([issueCertificate(edit(below, input), issuer), ...path]),
  };
}

/** The attestation key of a change, or that of the line. */
export async function keyOf(line: AttestationLine, input: AttestationInput, { key }: StatementChange): Promise<AttestationKey> {
  return key?.(input) ?? AUTHORITY.key(line, input.aaguid);
}

/** The finished statement. */
export async function statementOf(
  fmt: string,
  attStmt: CborMap,
  input: AttestationInput,
  { members }: StatementChange,
): Promise<StatementToWrite> {
  return { fmt, attStmt: (await members?.(attStmt, input)) ?? attStmt };
}

const authorityKey = ({ key }: Pick<Issuer, 'key'>) => WRITE_EXTENSION.authorityKeyIdentifier(keyIdentifier(key.publicKey));

/** A CA below another one, named `commonName`; `edit` changes its certificate before it is signed. */
export function issuerBelow(
  above: Issuer,
  commonName: string,
  { key, edit = (fields) => fields }: { readonly key?: AttestationKey; readonly edit?: CertificateEdit } = {},
): Issuer {
  const { derive, notBefore, notAfter, organization } = AUTHORITY.profile;
  const own = key ?? ecAttestationKey(derive(`${commonName} key`, 32, new Uint8Array()));
  const name = [named('CN', commonName), named('O', organization), country(AUTHORITY.profile.country)];
  const fields = {
    serialNumber: 7n,
    notBefore,
    notAfter,
    subject: name,
    publicKey: own.publicKey,
    extensions: issuerExtensions(own, above),
  };
  return { key: own, name, certificate: issueCertificate(edit(fields), above) };
}
