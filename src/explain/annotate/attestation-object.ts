import { decodeUtf8 } from '../../kernel/bytes.js';
import { isObject } from '../../kernel/json-value.js';
import { count } from '../../kernel/wording.js';
import { algorithmName } from '../../webauthn/algorithms.js';
import { type AttestationObject, decodeAttestationObject } from '../../webauthn/attestation-object.js';
import type { AuthenticatorData } from '../../webauthn/authenticator-data.js';
import { decodeBase64 } from '../../webauthn/base64url.js';
import { ATTESTATION_FORMAT_IDS, ATTESTATION_FORMATS, knownValue } from '../../webauthn/enumerations.js';
import { annotateAuthenticatorData } from './authenticator-data.js';
import { type CborItem, cborNode, findMember, keyLabel, locateCbor } from './cbor.js';
import { annotateCertificate } from './certificate.js';
import { signatureChildren } from './encoded-field.js';
import { type AnnotatedNode, type AnnotateOptions, jsonNode, readable } from './node.js';
import { type Decoding, readDecoded } from './read-credential.js';

/**
 * Annotates every byte of an attestation object (WebAuthn L3 §6.5.4): statement, certificates and authenticator data.
 *
 * @throws PasskeyError `attestation_malformed`
 */
export function annotateAttestationObject(
  bytes: Uint8Array,
  {
    label = 'attestation object',
    decoded = decodeAttestationObject(bytes),
    attestedData,
    ...options
  }: AnnotateOptions & { label?: string; decoded?: AttestationObject; attestedData?: Decoding<AuthenticatorData> | undefined } = {},
): AnnotatedNode {
  const { fmt } = decoded;
  const map = locateCbor(bytes);
  const children = (map.entries ?? []).map(({ key, value }) => {
    switch (key.value) {
      case 'fmt':
        return { ...cborNode('fmt', value, 0), note: formatNote(fmt) };
      case 'attStmt':
        return statementNode(bytes, fmt, value, options);
      case 'authData':
        return embedded(
          bytes,
          value,
          (whole, place) =>
            annotateAuthenticatorData(whole, {
              label: 'authData',
              decoded: attestedData && readDecoded(attestedData),
              ...place,
              ...options,
            }),
          'authData',
        );
      default:
        return { ...cborNode(keyLabel(key), value, 0), note: 'not a member of the standard' };
    }
  });
  return { label, offset: 0, length: bytes.length, value: fmt, note: count(bytes.length, 'byte'), children };
}

function formatNote(fmt: string): string {
  const known = knownValue(fmt, ATTESTATION_FORMAT_IDS);
  if (known === undefined) return 'not a registered format';
  const { section, madeBy } = ATTESTATION_FORMATS[known];
  return `${section}: ${madeBy}`;
}

function statementNode(bytes: Uint8Array, fmt: string, item: CborItem, options: AnnotateOptions): AnnotatedNode {
  const node = cborNode('attStmt', item, 0);
  if (item.items !== undefined) {
    return { ...node, children: item.items.map((part, index) => compoundPart(bytes, part, index, options)) };
  }
  return item.entries === undefined || item.entries.length === 0
    ? { ...node, value: 'empty' }
    : { ...node, children: item.entries.map(({ key, value }) => memberNode(bytes, fmt, { key, value }, options)) };
}

function compoundPart(bytes: Uint8Array, item: CborItem, index: number, options: AnnotateOptions): AnnotatedNode {
  const fmt = findMember(item, 'fmt')?.value;
  const statement = findMember(item, 'attStmt');
  const node = cborNode(`[${index}]`, item, 0);
  return typeof fmt === 'string' && statement !== undefined
    ? { ...node, value: fmt, children: [statementNode(bytes, fmt, statement, options)] }
    : node;
}

function memberNode(
  bytes: Uint8Array,
  fmt: string,
  { key, value }: { key: CborItem; value: CborItem },
  options: AnnotateOptions,
): AnnotatedNode {
  const name = keyLabel(key);
  const node = cborNode(name, value, 0);
  const content = value.value;
  switch (name) {
    case 'alg':
      return typeof content === 'number' ? { ...node, note: algorithmName(content) } : node;
    case 'x5c':
      return {
        ...node,
        note: count(value.items?.length ?? 0, 'certificate'),
        children: (value.items ?? []).map((item, index) => certificateNode(bytes, item, index, options)),
      };
    case 'sig': {
      const children = content instanceof Uint8Array ? signatureChildren(content, value.contentStart) : undefined;
      return children === undefined ? node : { ...node, note: `ECDSA in DER, ${count(value.end - value.contentStart, 'byte')}`, children };
    }
    case 'pubArea':
      return { ...node, note: `${node.note}: TPMT_PUBLIC, the key` };
    case 'certInfo':
      return { ...node, note: `${node.note}: TPMS_ATTEST, what the TPM signed` };
    case 'response':
      return fmt === 'android-safetynet' && content instanceof Uint8Array
        ? { ...node, note: 'a JWS of SafetyNet', children: readJws(content, options) }
        : node;
    default:
      return node;
  }
}

/** Annotates the contents of a CBOR byte string, such as a certificate. Offsets count from the start of `bytes`. */
function embedded(
  bytes: Uint8Array,
  item: CborItem,
  annotate: (whole: Uint8Array, place: { readonly start: number; readonly end: number }) => AnnotatedNode,
  label: string,
): AnnotatedNode {
  const { start, contentStart, end } = item;
  return readable(label, () => annotate(bytes, { start: contentStart, end }), { offset: start, length: end - start });
}

function certificateNode(bytes: Uint8Array, item: CborItem, index: number, options: AnnotateOptions): AnnotatedNode {
  const label = `x5c[${index}]`;
  return item.value instanceof Uint8Array
    ? embedded(bytes, item, (whole, place) => annotateCertificate(whole, { label, ...place, ...options }), label)
    : { ...cborNode(label, item, 0), error: 'Expected a byte string with a certificate.' };
}

/**
 * Annotates the response in a SafetyNet statement (§8.5), which is a JWS in compact serialization (RFC 7515 §3.1). Offsets inside a
 * certificate count from the start of that certificate.
 */
function readJws(bytes: Uint8Array, options: AnnotateOptions): AnnotatedNode[] {
  const part = (label: string, text: string | undefined) =>
    readable(label, () => {
      const value: unknown = JSON.parse(decodeUtf8(decodeBase64(text ?? '')?.bytes ?? new Uint8Array()));
      const x5c = isObject(value) && Array.isArray(value['x5c']) ? value['x5c'] : undefined;
      return x5c === undefined ? jsonNode(label, value) : { label, children: x5c.map((der, index) => jwsCertificate(der, index, options)) };
    });
  const [header, payload] = new TextDecoder().decode(bytes).split('.');
  return [part('header', header), part('payload', payload)];
}

function jwsCertificate(text: unknown, index: number, options: AnnotateOptions): AnnotatedNode {
  const label = `x5c[${index}]`;
  const der = typeof text === 'string' ? decodeBase64(text)?.bytes : undefined;
  return der === undefined ? { label, error: 'Expected base64.' } : readable(label, () => annotateCertificate(der, { label, ...options }));
}
