import { algorithmName } from '../../webauthn/algorithms.js';
import { isObject, type JsonObject } from '../../webauthn/json-value.js';
import { encodedField, textField } from './encoded-field.js';
import { jsonNode } from './json-node.js';
import type { AnnotatedNode } from './node.js';

/** A PublicKeyCredentialCreationOptionsJSON or …RequestOptionsJSON (WebAuthn L3 §5.1.9, §5.1.10). Never throws. */
export function annotateOptions(json: JsonObject, label: string): AnnotatedNode {
  return { label, children: Object.entries(json).map(([name, value]) => memberNode(name, value)) };
}

function memberNode(name: string, value: unknown): AnnotatedNode {
  switch (name) {
    case 'challenge':
      return encodedField(name, value);
    case 'user':
      return isObject(value)
        ? {
            label: name,
            children: Object.entries(value).map(([member, inner]) => (member === 'id' ? textField('id', inner) : jsonNode(member, inner))),
          }
        : jsonNode(name, value);
    case 'pubKeyCredParams':
      return listNode(name, value, ({ alg }, label) => ({
        ...jsonNode(label, alg),
        ...(typeof alg === 'number' && { note: algorithmName(alg) }),
      }));
    case 'excludeCredentials':
    case 'allowCredentials':
      return listNode(name, value, (entry, label) => ({
        label,
        children: Object.entries(entry).map(([member, inner]) => (member === 'id' ? encodedField('id', inner) : jsonNode(member, inner))),
      }));
    case 'timeout':
      return { ...jsonNode(name, value), ...(typeof value === 'number' && { note: `${value / 1000} seconds` }) };
    default:
      return jsonNode(name, value);
  }
}

function listNode(label: string, value: unknown, show: (entry: JsonObject, label: string) => AnnotatedNode): AnnotatedNode {
  return Array.isArray(value)
    ? {
        label,
        note: `array of ${value.length}`,
        children: value.map((entry, index) => (isObject(entry) ? show(entry, `[${index}]`) : jsonNode(`[${index}]`, entry))),
      }
    : jsonNode(label, value);
}
