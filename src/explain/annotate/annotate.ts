import { isObject, type JsonObject } from '../../kernel/json-value.js';
import { count } from '../../kernel/wording.js';
import { algorithmName } from '../../webauthn/algorithms.js';
import { shortenText } from '../server-answer.js';
import { annotateAttestationObject } from './attestation-object.js';
import { annotateAuthenticatorData } from './authenticator-data.js';
import { annotateCertificate } from './certificate.js';
import { annotateClientData } from './client-data.js';
import { annotateCoseKey } from './cose-key.js';
import { annotateCredential } from './credential.js';
import { annotateCtap2Answer } from './ctap2-answer.js';
import { encodedField, textField } from './encoded-field.js';
import type { ReadJson } from './har.js';
import { KIND_NAMES } from './kinds.js';
import { type AnnotatedNode, type AnnotateOptions, jsonNode, readable } from './node.js';
import { pageEvents } from './page-run.js';
import { readMember } from './read-credential.js';
import type { Recognised } from './recognise.js';
import type { ReadBytes } from './recognise-bytes.js';

/** Annotates a recognised input as a tree. Never throws: if a part cannot be read, its node has an `error` instead of a value. */
export function annotate(input: Recognised, options: AnnotateOptions = {}): AnnotatedNode {
  const label = KIND_NAMES[input.kind];
  if ('json' in input) return annotateJson(input, label, options);
  if (input.kind === 'error-text') return { label, value: shortenText(input.text) };
  const [only, ...others] = input.items;
  if (only !== undefined && others.length === 0) return annotateBytes(only, label, options);
  return {
    label: `${label}s`,
    note: count(input.items.length, 'certificate'),
    children: input.items.map((item, index) => annotateBytes(item, `[${index}]`, options)),
  };
}

function annotateBytes(item: ReadBytes, label: string, options: AnnotateOptions): AnnotatedNode {
  const { bytes } = item;
  return readable(label, () => {
    switch (item.kind) {
      case 'attestation-object':
        return annotateAttestationObject(bytes, { label, decoded: item.value, ...options });
      case 'authenticator-data':
        return annotateAuthenticatorData(bytes, { label, decoded: item.value, ...options });
      case 'ctap2-answer':
        return annotateCtap2Answer(bytes, item.value, { label, ...options });
      case 'client-data':
        return annotateClientData(bytes, item.value, label);
      case 'cose-key':
        return annotateCoseKey(bytes, { label });
      case 'certificate':
        return annotateCertificate(bytes, { label, decoded: item.value, ...options });
    }
  });
}

function annotateJson(input: ReadJson, label: string, options: AnnotateOptions): AnnotatedNode {
  switch (input.kind) {
    case 'registration':
    case 'authentication':
      return annotateCredential(input.credential, { label, kind: input.kind, ...options });
    case 'creation-options':
    case 'request-options':
      return annotateOptions(input.json, label);
    case 'fixture': {
      const { name, kind, ceremony, response, credential } = input.json;
      const asked = isObject(ceremony) && isObject(ceremony['options']) ? ceremony['options'] : undefined;
      return {
        label,
        ...(typeof name === 'string' && { value: name }),
        ...(typeof kind === 'string' && { note: kind }),
        children: [
          ...(asked === undefined ? [] : [annotateOptions(asked, 'options')]),
          ...(isObject(response) ? [annotateCredential(input.credential, { label: 'response', ...options })] : []),
          ...(isObject(credential) ? [jsonNode('credential record', credential)] : []),
        ],
      };
    }
    case 'har':
    case 'page-run':
    case 'messages': {
      const { findings, kind } = input;
      const where = { har: 'its bodies', 'page-run': 'its calls of the browser', messages: 'its objects' }[kind];
      return {
        label,
        note: findings.length === 0 ? `no credential and no options in ${where}` : `WebAuthn in ${findings.length} of ${where}`,
        children: [
          ...findings.map(({ place, url, found }) => ({
            ...annotateJson(found, place, options),
            value: KIND_NAMES[found.kind],
            ...(kind !== 'messages' && { note: url }),
          })),
          ...(kind === 'page-run' ? pageEvents(input.json) : []),
        ],
      };
    }
  }
}

/**
 * Annotates a PublicKeyCredentialCreationOptionsJSON or PublicKeyCredentialRequestOptionsJSON (WebAuthn L3 §5.1.9, §5.1.10). Never throws.
 */
function annotateOptions(json: JsonObject, label: string): AnnotatedNode {
  return { label, children: Object.entries(json).map(([name, value]) => optionNode(name, value)) };
}

function optionNode(name: string, value: unknown): AnnotatedNode {
  switch (name) {
    case 'challenge':
      return encodedField(name, readMember(value));
    case 'user':
      return isObject(value)
        ? {
            label: name,
            children: Object.entries(value).map(([member, inner]) =>
              member === 'id' ? textField('id', readMember(inner)) : jsonNode(member, inner),
            ),
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
        children: Object.entries(entry).map(([member, inner]) =>
          member === 'id' ? encodedField('id', readMember(inner)) : jsonNode(member, inner),
        ),
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
