import { decodeCbor } from '../../../../webauthn/cbor.js';
import { algorithmName } from '../../../../webauthn/cose-key.js';
import type { Field } from './tree.js';
import { cborField } from './tree.js';

const KEY_TYPES: Readonly<Record<string, string>> = { 1: 'OKP', 2: 'EC2', 3: 'RSA', 7: 'AKP' };
const CURVES: Readonly<Record<string, string>> = { 1: 'P-256', 2: 'P-384', 3: 'P-521', 6: 'Ed25519', 7: 'Ed448', 8: 'secp256k1' };
/** Labels below zero mean something else in each key type (RFC 9053 §7, RFC 8230 §4). */
const LABELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  1: { '-1': 'crv', '-2': 'x' },
  2: { '-1': 'crv', '-2': 'x', '-3': 'y' },
  3: { '-1': 'n', '-2': 'e' },
  7: { '-1': 'pub' },
};

/** A COSE_Key label by label, so that a key that does not make sense can be seen as well. */
export function publicKeyField(bytes: Uint8Array): Field {
  const { value } = decodeCbor(bytes);
  if (!(value instanceof Map)) {
    return { name: 'credentialPublicKey', value: 'no CBOR map', verdict: 'bad' };
  }
  const type = String(value.get(1));
  const algorithm = value.get(3);
  return {
    name: 'credentialPublicKey',
    value: typeof algorithm === 'number' ? algorithmName(algorithm) : undefined,
    note: `COSE_Key, ${bytes.length} bytes`,
    children: [...value].map(([label, member]) => {
      const field = cborField(`${labelName(type, String(label))} (${String(label)})`, member);
      if (label === 1) {
        return { ...field, note: KEY_TYPES[type] };
      }
      if (label === 3 && typeof member === 'number') {
        return { ...field, note: algorithmName(member) };
      }
      return label === -1 && (type === '1' || type === '2') ? { ...field, note: CURVES[String(member)] } : field;
    }),
  };
}

function labelName(type: string, label: string): string {
  return label === '1' ? 'kty' : label === '3' ? 'alg' : (LABELS[type]?.[label] ?? 'label');
}
