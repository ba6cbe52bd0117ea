import type { JsonObject } from '../json.js';
import { isJsonObject } from '../json.js';

const MEMBERS = {
  registration: [
    'pubKeyCredParams',
    'timeout',
    'excludeCredentials',
    'authenticatorSelection',
    'hints',
    'attestation',
    'attestationFormats',
    'extensions',
  ],
  authentication: ['rpId', 'timeout', 'allowCredentials', 'userVerification', 'hints', 'extensions'],
} as const;
/** The ceremony is bound to these: what stands there is not sent. */
const BOUND = { registration: ['challenge', 'rp', 'user'], authentication: ['challenge'] } as const;
/** Client extensions in JavaScript's names: those of WebAuthn L3 §10.1 and what browsers know besides (CTAP, payments). */
const EXTENSIONS = [
  'appid',
  'appidExclude',
  'credBlob',
  'credProps',
  'credentialProtectionPolicy',
  'enforceCredentialProtectionPolicy',
  'getCredBlob',
  'hmacCreateSecret',
  'hmacGetSecret',
  'largeBlob',
  'minPinLength',
  'payment',
  'prf',
  'uvm',
];
const OTHER_NAMES: Readonly<Record<string, string>> = { credProtect: 'credentialProtectionPolicy', 'hmac-secret': 'prf' };

/** What a writer of options should know about their names; nothing of it is an error. */
export function remarksOn(dictionary: 'registration' | 'authentication', options: JsonObject): string[] {
  const members: readonly string[] = MEMBERS[dictionary];
  const bound: readonly string[] = BOUND[dictionary];
  const { extensions } = options;
  return [
    ...Object.keys(options).flatMap((name) => {
      if (bound.includes(name)) {
        return `${name} is the server’s own; what stands here is not used.`;
      }
      return members.includes(name) ? [] : `${name} is no member of these options; browsers pass over it.`;
    }),
    ...Object.keys(isJsonObject(extensions) ? extensions : {}).flatMap((name) => {
      const other = OTHER_NAMES[name];
      const advice = other === undefined ? 'browsers pass over what they do not know' : `in browsers it goes by ${other}`;
      return EXTENSIONS.includes(name) ? [] : `extensions.${name} is not known here; ${advice}.`;
    }),
  ];
}
