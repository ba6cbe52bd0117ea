import { isObject, type JsonObject } from '../../webauthn/json-value.js';
import { count } from '../../webauthn/wording.js';
import { annotateAttestationObject } from './attestation-object.js';
import { annotateAuthenticatorData } from './authenticator-data.js';
import { annotateCertificate } from './certificate.js';
import { annotateClientData } from './client-data.js';
import { annotateCoseKey } from './cose-key.js';
import { annotateCredential } from './credential.js';
import { harFindings } from './har.js';
import { jsonNode } from './json-node.js';
import { type AnnotatedNode, type AnnotateOptions, readable } from './node.js';
import { annotateOptions } from './options.js';
import { type BinaryKind, type JsonKind, KIND_NAMES, type Recognised } from './recognised.js';

/** The tree of anything that `recognise` knows. Never throws: what cannot be read says why in its place. */
export function annotate(input: Recognised, options: AnnotateOptions = {}): AnnotatedNode {
  const label = KIND_NAMES[input.kind];
  if ('json' in input) {
    return annotateJson(input.kind, input.json, label, options);
  }
  const [only, ...others] = input.items;
  if (only !== undefined && others.length === 0) {
    return readable(label, () => annotateBytes(input.kind, only, label, options));
  }
  return {
    label: `${label}s`,
    note: count(input.items.length, 'certificate'),
    children: input.items.map((item, index) => readable(`[${index}]`, () => annotateBytes(input.kind, item, `[${index}]`, options))),
  };
}

function annotateBytes(kind: BinaryKind, bytes: Uint8Array, label: string, options: AnnotateOptions): AnnotatedNode {
  switch (kind) {
    case 'attestation-object':
      return annotateAttestationObject(bytes, { label, ...options });
    case 'authenticator-data':
      return annotateAuthenticatorData(bytes, { label, ...options });
    case 'client-data':
      return annotateClientData(bytes, { label });
    case 'cose-key':
      return annotateCoseKey(bytes, { label });
    case 'certificate':
      return annotateCertificate(bytes, { label, ...options });
  }
}

function annotateJson(kind: JsonKind, json: JsonObject, label: string, options: AnnotateOptions): AnnotatedNode {
  switch (kind) {
    case 'registration':
    case 'authentication':
      return annotateCredential(json, { label, kind, ...options });
    case 'creation-options':
    case 'request-options':
      return annotateOptions(json, label);
    case 'fixture':
      return annotateFixture(json, label, options);
    case 'har': {
      const findings = harFindings(json);
      return {
        label,
        note:
          findings.length === 0
            ? 'no credential and no options in its bodies'
            : `${findings.length} of its bodies ${findings.length === 1 ? 'is' : 'are'} of WebAuthn`,
        children: findings.map(({ entry, side, url, found }) => ({
          ...annotateJson(found.kind, found.json, `entry ${entry}, ${side}`, options),
          value: KIND_NAMES[found.kind],
          note: url,
        })),
      };
    }
  }
}

function annotateFixture(
  { name, kind, ceremony, response, credential }: JsonObject,
  label: string,
  options: AnnotateOptions,
): AnnotatedNode {
  const asked = isObject(ceremony) && isObject(ceremony['options']) ? ceremony['options'] : undefined;
  return {
    label,
    ...(typeof name === 'string' && { value: name }),
    ...(typeof kind === 'string' && { note: kind }),
    children: [
      ...(asked === undefined ? [] : [annotateOptions(asked, 'options')]),
      ...(isObject(response) ? [annotateCredential(response, { label: 'response', ...options })] : []),
      ...(isObject(credential) ? [jsonNode('credential record', credential)] : []),
    ],
  };
}
