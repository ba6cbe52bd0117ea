import type { AttestationStatement } from '../../../../webauthn/attestation-object.js';
import { algorithmName } from '../../../../webauthn/cose-key.js';
import { certificateField } from './certificate.js';
import type { Field } from './tree.js';
import { cborField, readable } from './tree.js';

const FORMATS: Readonly<Record<string, string>> = {
  none: 'no statement',
  packed: 'WebAuthn §8.2',
  tpm: 'WebAuthn §8.3, Windows and other TPMs',
  'android-key': 'WebAuthn §8.4',
  'android-safetynet': 'WebAuthn §8.5',
  'fido-u2f': 'WebAuthn §8.6, security keys of the first generation',
  apple: 'WebAuthn §8.8, anonymous',
  compound: 'WebAuthn §8.9, several statements',
};

/** An attestation statement with its certificates opened. */
export function statementFields({ fmt, attStmt }: AttestationStatement): Field[] {
  const members = [...attStmt].map(([key, value]): Field => {
    const name = String(key);
    if (name === 'x5c' && Array.isArray(value)) {
      return {
        name,
        note: `${value.length} certificate${value.length === 1 ? '' : 's'}`,
        children: value.map((certificate, index) =>
          certificate instanceof Uint8Array
            ? readable(`x5c[${index}]`, () => certificateField(`x5c[${index}]`, certificate))
            : cborField(`x5c[${index}]`, certificate),
        ),
      };
    }
    const field = cborField(name, value);
    return name === 'alg' && typeof value === 'number' ? { ...field, note: algorithmName(value) } : field;
  });
  return [
    { name: 'fmt', value: fmt, note: FORMATS[fmt] ?? 'not a registered format' },
    members.length === 0 ? { name: 'attStmt', value: '{}' } : { name: 'attStmt', children: members },
  ];
}
