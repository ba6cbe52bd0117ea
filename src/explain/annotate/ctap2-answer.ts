import { type AuthenticatorData, decodeAuthenticatorData } from '../../webauthn/authenticator-data.js';
import { type CborMap, decodeCborMap } from '../../webauthn/cbor.js';
import { malformed, readingCbor } from '../../webauthn/decoding-error.js';
import { annotateAuthenticatorData } from './authenticator-data.js';
import { cborNode, keyLabel, locateCbor } from './cbor.js';
import type { AnnotatedNode, AnnotateOptions } from './node.js';

/** A response of an authenticator as CTAP 2.3 §6 defines it: a CBOR map with numeric keys, with or without a status byte before it. */
export interface Ctap2Answer {
  readonly command: keyof typeof MEMBERS;
  /** Position of the first byte of the map: 1 if a status byte precedes the map, otherwise 0. */
  readonly start: number;
  readonly authData: AuthenticatorData | undefined;
}

/** Names of the members of CTAP2 responses, by their numeric keys (CTAP 2.3 §6.1, §6.2, §6.4). */
const MEMBERS = {
  authenticatorMakeCredential: ['fmt', 'authData', 'attStmt', 'epAtt', 'largeBlobKey', 'unsignedExtensionOutputs'],
  authenticatorGetAssertion: [
    'credential',
    'authData',
    'signature',
    'user',
    'numberOfCredentials',
    'userSelected',
    'largeBlobKey',
    'unsignedExtensionOutputs',
  ],
  authenticatorGetInfo: [
    'versions',
    'extensions',
    'aaguid',
    'options',
    'maxMsgSize',
    'pinUvAuthProtocols',
    'maxCredentialCountInList',
    'maxCredentialIdLength',
    'transports',
    'algorithms',
  ],
} as const;

const SUCCESS = 0x00;

const CODE = 'authenticator_data_malformed';
const SUBJECT = 'The CTAP2 answer';

/**
 * Decodes a CTAP2 response of an authenticator.
 *
 * @throws PasskeyError if the bytes are not a CTAP2 response.
 */
export function readCtap2Answer(bytes: Uint8Array): Ctap2Answer {
  const start = bytes[0] === SUCCESS ? 1 : 0;
  const { value, end } = readingCbor(CODE, SUBJECT, () => decodeCborMap(bytes, start));
  const command = end === bytes.length ? findCommand(value) : undefined;
  if (command === undefined) throw malformed(CODE, SUBJECT, start, 'expected the members of a CTAP2 response, got others');
  const authData = value.get(2);
  return { command, start, authData: authData instanceof Uint8Array ? decodeAuthenticatorData(authData) : undefined };
}

function findCommand(map: CborMap): Ctap2Answer['command'] | undefined {
  const [first, second, third] = [1, 2, 3].map((number) => map.get(number));
  if (Array.isArray(first)) return first.some((version) => /^(?:FIDO_2|U2F_V2)/.test(String(version))) ? 'authenticatorGetInfo' : undefined;
  if (!(second instanceof Uint8Array)) return undefined;
  if (typeof first === 'string') return third instanceof Map ? 'authenticatorMakeCredential' : undefined;
  return third instanceof Uint8Array ? 'authenticatorGetAssertion' : undefined;
}

/** Annotates a CTAP2 response: names its members and decodes the authenticator data in it. */
export function annotateCtap2Answer(
  bytes: Uint8Array,
  { command, start, authData }: Ctap2Answer,
  { label, ...options }: AnnotateOptions & { readonly label: string },
): AnnotatedNode {
  const names: readonly string[] = MEMBERS[command];
  const children = (locateCbor(bytes, start).entries ?? []).map(({ key, value }) => {
    const name = names.find((_, index) => index + 1 === key.value);
    const title = `${name ?? 'member'} (${keyLabel(key)})`;
    return name === 'authData'
      ? annotateAuthenticatorData(bytes, { label: title, start: value.contentStart, end: value.end, decoded: authData, ...options })
      : cborNode(title, value, 0);
  });
  const status = start === 0 ? [] : [{ label: 'status', offset: 0, length: 1, value: '0x00', note: 'CTAP2_OK' }];
  return { label, offset: 0, length: bytes.length, value: command, children: [...status, ...children] };
}
