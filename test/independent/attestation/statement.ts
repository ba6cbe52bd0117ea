import type { AttestedCredential, AuthenticatorData } from '../authenticator-data.js';
import { sameBytes } from '../bytes.js';
import { type CborMap, type CborValue, isBytes } from '../cbor.js';
import { type Certificate, OID, readCertificate } from '../certificate.js';
import type { ClientData } from '../client-data.js';
import { onlyDer } from '../der.js';
import { check, type Party, refuse } from '../party.js';

/** What a verification procedure of §8 is given. */
export interface StatementInput {
  readonly statement: CborMap;
  readonly data: AuthenticatorData;
  readonly attested: AttestedCredential;
  readonly client: ClientData;
  readonly party: Party;
}

/** Attestation types (§6.5.3) with what trust is assessed by. */
export type Verified =
  | { readonly type: 'none' }
  | { readonly type: 'self' }
  | { readonly type: 'certificate'; readonly x5c: readonly Certificate[] };

export function malformed(what: string): never {
  refuse('statement_malformed', `The attestation statement is malformed: ${what}.`);
}

export function wrong(what: string): never {
  refuse('statement_wrong', `The attestation statement does not hold: ${what}.`);
}

export function demand(ok: boolean, what: string): asserts ok {
  if (!ok) wrong(what);
}

export function bytesOf(statement: CborMap, name: string): Uint8Array {
  const value = statement.get(name);
  return isBytes(value) ? value : malformed(`${name} is no byte string`);
}

export function algorithmOf(statement: CborMap): number {
  const alg = statement.get('alg');
  return typeof alg === 'number' ? alg : malformed('alg is no number');
}

/** x5c with the attestation certificate first; never empty. */
export function chainOf(statement: CborMap): [Certificate, ...Certificate[]] {
  const x5c: CborValue = statement.get('x5c');
  if (!Array.isArray(x5c)) return malformed('x5c is no array');
  const [leaf, ...above] = x5c.map((der: CborValue) =>
    isBytes(der) ? readCertificate(der) : malformed('a certificate is no byte string'),
  );
  return leaf === undefined ? malformed('x5c is empty') : [leaf, ...above];
}

/** What most signatures of §8 are over. */
export const signedData = ({ data, client }: StatementInput): Buffer => Buffer.concat([data.bytes, client.hash]);

export function sameKey(a: Certificate['publicKey'], b: Certificate['publicKey']): boolean {
  return a.equals(b);
}

/** id-fido-gen-ce-aaguid (§8.2.1), where the certificate has it. */
export function checkAaguidExtension({ extensions }: Certificate, aaguid: Uint8Array, unchecked: boolean): void {
  const extension = extensions.get(OID.aaguid);
  if (extension === undefined || unchecked) return;
  check(
    sameBytes(onlyDer(extension.value).content, aaguid),
    'statement_wrong',
    'The certificate is of authenticators with another AAGUID.',
  );
}
