import { toHex } from '../../kernel/bytes.js';
import { count } from '../../kernel/wording.js';
import { formatAaguid } from '../../webauthn/aaguid.js';
import {
  type AuthenticatorData,
  type AuthenticatorFlags,
  decodeAuthenticatorData,
  FLAGS,
  OFFSETS,
  RESERVED_FLAG_BITS,
} from '../../webauthn/authenticator-data.js';
import { AAGUID_BYTES, SHA256_BYTES } from '../../webauthn/limits.js';
import { cborNode, locateCbor } from './cbor.js';
import { annotateCoseKey } from './cose-key.js';
import { type AnnotatedNode, type AnnotateOptions, aaguidNote, bytesNode, readable, shortHex } from './node.js';

/**
 * Annotates the authenticator data (WebAuthn L3 §6.1) from `start` to `end` of `bytes`.
 *
 * @param decoded the same data, if already decoded.
 * @throws PasskeyError `authenticator_data_malformed`
 */
export function annotateAuthenticatorData(
  bytes: Uint8Array,
  {
    label = 'authenticator data',
    start = 0,
    end = bytes.length,
    decoded,
    ...options
  }: AnnotateOptions & { label?: string; start?: number; end?: number; decoded?: AuthenticatorData | undefined } = {},
): AnnotatedNode {
  const own = bytes.subarray(start, end);
  const data = decoded ?? decodeAuthenticatorData(own);
  const children = [
    rpIdHashNode(data.rpIdHash, start, options),
    flagsNode(data.flags, start),
    {
      label: 'signCount',
      offset: start + OFFSETS.signCount,
      length: 4,
      value: String(data.signCount),
      note:
        data.signCount === 0 ? 'this authenticator does not count (fine, usual with synced passkeys)' : 'must grow with every assertion',
    },
  ];
  const attested = data.attestedCredentialData;
  let at: number = OFFSETS.aaguid;
  if (attested !== undefined) {
    const keyAt = OFFSETS.credentialId + attested.credentialId.length;
    at = keyAt + attested.credentialPublicKey.length;
    const aaguid = formatAaguid(attested.aaguid);
    children.push(
      { label: 'aaguid', offset: start + OFFSETS.aaguid, length: AAGUID_BYTES, value: aaguid, note: aaguidNote(aaguid, options) },
      { label: 'credentialIdLength', offset: start + OFFSETS.credentialIdLength, length: 2, value: String(attested.credentialId.length) },
      bytesNode('credentialId', attested.credentialId, start + OFFSETS.credentialId),
      readable(
        'credentialPublicKey',
        () => annotateCoseKey(bytes, { label: 'credentialPublicKey', start: start + keyAt, end: start + at }),
        { offset: start + keyAt, length: attested.credentialPublicKey.length },
      ),
    );
  }
  if (data.extensionBytes !== undefined) {
    children.push(cborNode('extensions', locateCbor(bytes, start + at), 0));
  }
  return { label, offset: start, length: own.length, note: count(own.length, 'byte'), children };
}

function rpIdHashNode(hash: Uint8Array, start: number, { rpIds }: AnnotateOptions): AnnotatedNode {
  const rpId = rpIds?.get(toHex(hash));
  return {
    label: 'rpIdHash',
    offset: start,
    length: SHA256_BYTES,
    value: shortHex(hash),
    note: rpId === undefined ? 'SHA-256 of the RP ID' : `SHA-256 of "${rpId}"`,
  };
}

function flagsNode(flags: AuthenticatorFlags, start: number): AnnotatedNode {
  const offset = start + OFFSETS.flags;
  const set = FLAGS.filter(({ key }) => flags[key]).map(({ name }) => name);
  const reserved = RESERVED_FLAG_BITS.filter((bit) => (flags.byte & (1 << bit)) !== 0);
  return {
    label: 'flags',
    offset,
    length: 1,
    value: `0x${flags.byte.toString(16).padStart(2, '0')}`,
    note: set.join(' ') || 'none set',
    children: [
      ...FLAGS.map(({ key, name, bit, meaning }) => ({
        label: name,
        offset,
        length: 1,
        value: flags[key] ? '1' : '0',
        note: `bit ${bit}: ${meaning}`,
      })),
      ...reserved.map((bit) => ({
        label: `RFU${bit === 1 ? 1 : 2}`,
        offset,
        length: 1,
        value: '1',
        note: `bit ${bit}: reserved, but set`,
      })),
    ],
  };
}
