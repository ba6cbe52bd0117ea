import { formatAaguid, providerName } from '../../../../webauthn/aaguid.js';
import type { AuthenticatorData, AuthenticatorFlags } from '../../../../webauthn/authenticator-data.js';
import { decodeAuthenticatorData } from '../../../../webauthn/authenticator-data.js';
import { equalBytes } from '../../../../webauthn/bytes.js';
import { publicKeyField } from './public-key.js';
import type { Field } from './tree.js';
import { bytesField, cborMapFields, hex, readable } from './tree.js';

const RP_ID_HASH = 32;
const AAGUID = 37;
const CREDENTIAL_ID = 55;

/** Authenticator data (WebAuthn L3 §6.1) with the place of every part. `rpIdHash`: SHA-256 of the rp.id that was asked for. */
export function authenticatorDataField(bytes: Uint8Array, rpId: string | undefined, rpIdHash: Uint8Array | undefined): Field {
  return readable('authenticatorData', () => {
    const data = decodeAuthenticatorData(bytes);
    return {
      name: 'authenticatorData',
      note: `${bytes.length} bytes`,
      children: [
        rpIdHashField(data, rpId, rpIdHash),
        flagsField(data.flags),
        {
          name: 'signCount',
          value: String(data.signCount),
          at: { offset: 33, length: 4 },
          note: data.signCount === 0 ? 'no counter' : undefined,
        },
        ...attestedFields(data),
        ...extensionFields(data, bytes.length),
      ],
    };
  });
}

function rpIdHashField(data: AuthenticatorData, rpId: string | undefined, expected: Uint8Array | undefined): Field {
  const same = expected === undefined ? undefined : equalBytes(data.rpIdHash, expected);
  return {
    name: 'rpIdHash',
    value: hex(data.rpIdHash),
    at: { offset: 0, length: RP_ID_HASH },
    note: same === undefined || rpId === undefined ? undefined : same ? `SHA-256 of "${rpId}"` : `not the SHA-256 of "${rpId}"`,
    verdict: same === undefined ? undefined : same ? 'good' : 'bad',
  };
}

const FLAG_NAMES = [
  ['up', 'UP', 'user present'],
  ['uv', 'UV', 'user verified'],
  ['be', 'BE', 'backup eligible: may be synced'],
  ['bs', 'BS', 'backed up now'],
  ['at', 'AT', 'attested credential data follow'],
  ['ed', 'ED', 'extension data follow'],
] as const;

function flagsField(flags: AuthenticatorFlags): Field {
  return {
    name: 'flags',
    value: `0x${flags.byte.toString(16).padStart(2, '0')}`,
    at: { offset: RP_ID_HASH, length: 1 },
    note:
      FLAG_NAMES.filter(([key]) => flags[key])
        .map(([, name]) => name)
        .join(' ') || 'none set',
    children: FLAG_NAMES.map(([key, name, meaning]) => ({
      name,
      value: flags[key] ? '1' : '0',
      note: meaning,
      verdict: flags[key] ? ('good' as const) : ('neutral' as const),
    })),
  };
}

function attestedFields({ attestedCredentialData: attested }: AuthenticatorData): Field[] {
  if (attested === undefined) {
    return [];
  }
  const { aaguid, credentialId, credentialPublicKey } = attested;
  const text = formatAaguid(aaguid);
  const anonymous = aaguid.every((byte) => byte === 0);
  const key = readable('credentialPublicKey', () => publicKeyField(credentialPublicKey));
  return [
    {
      name: 'aaguid',
      value: text,
      at: { offset: AAGUID, length: 16 },
      note: anonymous ? 'not told' : (providerName(text) ?? 'unknown provider'),
    },
    { name: 'credentialIdLength', value: String(credentialId.length), at: { offset: AAGUID + 16, length: 2 } },
    bytesField('credentialId', credentialId, { at: { offset: CREDENTIAL_ID, length: credentialId.length } }),
    { ...key, at: { offset: CREDENTIAL_ID + credentialId.length, length: credentialPublicKey.length } },
  ];
}

function extensionFields({ extensions, extensionBytes }: AuthenticatorData, length: number): Field[] {
  return extensions === undefined || extensionBytes === undefined
    ? []
    : [
        {
          name: 'extensions',
          at: { offset: length - extensionBytes.length, length: extensionBytes.length },
          children: cborMapFields(extensions),
        },
      ];
}
