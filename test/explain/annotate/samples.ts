import { annotate } from '../../../src/explain/annotate/annotate.js';
import type { AnnotatedNode, AnnotateOptions } from '../../../src/explain/annotate/node.js';
import { recognise } from '../../../src/explain/annotate/recognise.js';
import { encodeUtf8 } from '../../../src/kernel/bytes.js';
import { encodeAttestationObject } from '../../../src/webauthn/attestation-object.js';
import { encodeBase64url } from '../../../src/webauthn/base64url.js';
import { generateVector, PUBLISHED_HASHES } from '../../webauthn/w3c-vectors.js';

const recipe = PUBLISHED_HASHES.find(({ recipe: { info } }) => info === 'none.ES256')?.recipe;
if (recipe === undefined) throw new Error('expected the recipe of none.ES256');
/** The first of the standard's test vectors, generated. */
export const vector = generateVector(recipe);
const { registration, authentication, credentialId, credentialPublicKey } = vector;
const attestationObject = encodeAttestationObject({ fmt: 'none', attStmt: new Map(), authData: registration.authenticatorData });

/** Every binary kind, and what it is called. */
export const BINARY = {
  'attestation-object': attestationObject,
  'authenticator-data': authentication.authenticatorData,
  'client-data': registration.clientData,
  'cose-key': credentialPublicKey,
} as const;

const id = encodeBase64url(credentialId);
export const JSON_SAMPLES = {
  registration: {
    id,
    rawId: id,
    type: 'public-key',
    response: { clientDataJSON: encodeBase64url(registration.clientData), attestationObject: encodeBase64url(attestationObject) },
    clientExtensionResults: {},
  },
  authentication: {
    id,
    rawId: id,
    type: 'public-key',
    response: {
      clientDataJSON: encodeBase64url(authentication.clientData),
      authenticatorData: encodeBase64url(authentication.authenticatorData),
      signature: 'MAYCAQECAQE',
      userHandle: encodeBase64url(encodeUtf8('ada')),
    },
    clientExtensionResults: {},
  },
  'creation-options': {
    rp: { id: 'example.org', name: 'Example' },
    user: { id: encodeBase64url(encodeUtf8('1')), name: 'ada', displayName: 'Ada' },
    challenge: encodeBase64url(registration.challenge),
    pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
    timeout: 300_000,
  },
  'request-options': {
    challenge: encodeBase64url(authentication.challenge),
    rpId: 'example.org',
    allowCredentials: [{ type: 'public-key', id }],
  },
} as const;

export const text = (value: unknown): Uint8Array => encodeUtf8(typeof value === 'string' ? value : JSON.stringify(value));

export function treeOf(bytes: Uint8Array, options?: AnnotateOptions): AnnotatedNode {
  return annotate(recognise(bytes), options);
}

/** The node at the end of a path of labels. */
export function find(node: AnnotatedNode, ...labels: readonly string[]): AnnotatedNode | undefined {
  return labels.reduce<AnnotatedNode | undefined>((at, label) => at?.children?.find((child) => child.label === label), node);
}

export function all(node: AnnotatedNode): AnnotatedNode[] {
  return [node, ...(node.children ?? []).flatMap(all)];
}
