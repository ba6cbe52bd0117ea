import { formatAaguid } from '../../webauthn/aaguid.js';
import { type AuthenticatorData, type AuthenticatorFlags, decodeAuthenticatorData } from '../../webauthn/authenticator-data.js';
import { toHex } from '../../webauthn/bytes.js';
import { cborNode, locateCbor } from './cbor.js';
import { annotateCoseKey } from './cose-key.js';
import { type AnnotatedNode, type AnnotateOptions, aaguidNote, bytesNode, plural, readable, shortHex } from './node.js';

const FLAGS_AT = 32;
const COUNT_AT = 33;
const AAGUID_AT = 37;
const ID_LENGTH_AT = 53;
const ID_AT = 55;

const FLAGS = [
  { key: 'up', name: 'UP', bit: 0, meaning: 'user present' },
  { key: 'uv', name: 'UV', bit: 2, meaning: 'user verified (PIN, biometry)' },
  { key: 'be', name: 'BE', bit: 3, meaning: 'backup eligible (may be synced)' },
  { key: 'bs', name: 'BS', bit: 4, meaning: 'backed up now' },
  { key: 'at', name: 'AT', bit: 6, meaning: 'attested credential data follow' },
  { key: 'ed', name: 'ED', bit: 7, meaning: 'extension data follow' },
] as const;
const RESERVED = [1, 5];

/**
 * Authenticator data (WebAuthn L3 §6.1) from `start` to `end` of `bytes`.
 *
 * @param decoded the same, where it has been decoded before.
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
      offset: start + COUNT_AT,
      length: 4,
      value: String(data.signCount),
      note:
        data.signCount === 0 ? 'this authenticator does not count (fine, usual with synced passkeys)' : 'must grow with every assertion',
    },
  ];
  const attested = data.attestedCredentialData;
  let at = AAGUID_AT;
  if (attested !== undefined) {
    const keyAt = ID_AT + attested.credentialId.length;
    at = keyAt + attested.credentialPublicKey.length;
    const aaguid = formatAaguid(attested.aaguid);
    children.push(
      { label: 'aaguid', offset: start + AAGUID_AT, length: 16, value: aaguid, note: aaguidNote(aaguid, options) },
      { label: 'credentialIdLength', offset: start + ID_LENGTH_AT, length: 2, value: String(attested.credentialId.length) },
      bytesNode('credentialId', attested.credentialId, start + ID_AT),
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
  return { label, offset: start, length: own.length, note: plural(own.length, 'byte'), children };
}

function rpIdHashNode(hash: Uint8Array, start: number, { rpIds }: AnnotateOptions): AnnotatedNode {
  const rpId = rpIds?.get(toHex(hash));
  return {
    label: 'rpIdHash',
    offset: start,
    length: 32,
    value: shortHex(hash),
    note: rpId === undefined ? 'SHA-256 of the RP ID' : `SHA-256 of "${rpId}"`,
  };
}

function flagsNode(flags: AuthenticatorFlags, start: number): AnnotatedNode {
  const offset = start + FLAGS_AT;
  const set = FLAGS.filter(({ key }) => flags[key]).map(({ name }) => name);
  const reserved = RESERVED.filter((bit) => (flags.byte & (1 << bit)) !== 0);
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
        note: `bit ${bit}: reserved, and set all the same`,
      })),
    ],
  };
}
