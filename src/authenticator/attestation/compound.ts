import type { AttestationStatement } from '../../webauthn/attestation-object.js';
import { type AttestationFormat, type Statement } from './format.js';

/**
 * Creates the attestation format `compound` (§8.9), which contains statements of two or more formats. All are about the same authenticator
 * data and client data.
 *
 * @throws TypeError for fewer than two formats, or if one of them is `compound`.
 */
export function compoundAttestation(formats: readonly AttestationFormat[]): AttestationFormat {
  if (formats.length < 2 || formats.some(({ fmt }) => fmt === 'compound')) {
    const got = formats.map(({ fmt }) => fmt).join(', ') || 'none';
    throw new TypeError(`Expected two or more formats for compound, none of them compound; got ${got}.`);
  }
  return {
    fmt: 'compound',
    deterministic: formats.every(({ deterministic }) => deterministic === true),
    attests: (algorithm) => formats.every((format) => format.attests?.(algorithm) ?? true),
    statement: (input) => Promise.all(formats.map(async (format) => ({ fmt: format.fmt, attStmt: single(await format.statement(input)) }))),
  };
}

function single(statement: Statement): AttestationStatement['attStmt'] {
  if (statement instanceof Map) return statement;
  throw new TypeError('Expected each format inside compound to have only one statement.');
}
