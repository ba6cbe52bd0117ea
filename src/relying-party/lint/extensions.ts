import { isObject } from '../../webauthn/annotate/json-value.js';
import { type Advice, advise } from './advice.js';

type Ceremony = 'registration' | 'authentication';

interface Extension {
  readonly in: readonly Ceremony[];
  readonly remark?: string;
}

/** Where each registered extension belongs, and what to know of it. */
const EXTENSIONS: ReadonlyMap<string, Extension> = new Map<string, Extension>([
  ['appid', { in: ['authentication'], remark: 'It is for credentials of U2F days only.' }],
  ['appidExclude', { in: ['registration'], remark: 'It is for credentials of U2F days only.' }],
  ['credProps', { in: ['registration'] }],
  ['prf', { in: ['registration', 'authentication'] }],
  ['largeBlob', { in: ['registration', 'authentication'] }],
  ['credentialProtectionPolicy', { in: ['registration'] }],
  ['enforceCredentialProtectionPolicy', { in: ['registration'] }],
  ['credBlob', { in: ['registration'] }],
  ['getCredBlob', { in: ['authentication'] }],
  ['minPinLength', { in: ['registration'] }],
  ['hmacCreateSecret', { in: ['registration'], remark: 'Browsers offer it as prf.' }],
  ['hmacGetSecret', { in: ['authentication'], remark: 'Browsers offer it as prf.' }],
  ['payment', { in: ['registration', 'authentication'] }],
  ['uvm', { in: ['registration', 'authentication'], remark: 'It was removed from Level 3, and browsers drop it.' }],
  ['remoteClientDataJSON', { in: ['registration', 'authentication'] }],
]);

/** Names by which authenticators know extensions; browsers do not. */
const BROWSER_NAMES: ReadonlyMap<string, string> = new Map([
  ['hmac-secret', 'prf'],
  ['credProtect', 'credentialProtectionPolicy'],
]);

export function lintExtensions(value: unknown, ceremony: Ceremony): Advice[] {
  if (value === undefined) {
    return [];
  }
  if (!isObject(value)) {
    return [advise('error', '/extensions', 'An object is expected.')];
  }
  return [...Object.keys(value).flatMap((name) => lintExtension(name, ceremony)), ...lintInputs(value)];
}

function lintExtension(name: string, ceremony: Ceremony): Advice[] {
  const pointer = `/extensions/${name}`;
  const known = EXTENSIONS.get(name);
  if (known === undefined) {
    const meant = BROWSER_NAMES.get(name) ?? [...EXTENSIONS.keys()].find((candidate) => candidate.toLowerCase() === name.toLowerCase());
    return [
      advise(
        'warning',
        pointer,
        `No browser knows this extension, so it is ignored.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
      ),
    ];
  }
  if (!known.in.includes(ceremony)) {
    return [advise('error', pointer, `This extension belongs to the ${known.in.join(' and ')} only; here it is refused or ignored.`)];
  }
  return known.remark === undefined ? [] : [advise('note', pointer, known.remark)];
}

function lintInputs({
  enforceCredentialProtectionPolicy,
  credentialProtectionPolicy,
  largeBlob,
  credProps,
}: Readonly<Record<string, unknown>>): Advice[] {
  return [
    ...(enforceCredentialProtectionPolicy !== undefined && credentialProtectionPolicy === undefined
      ? [advise('warning', '/extensions/enforceCredentialProtectionPolicy', 'It does nothing without credentialProtectionPolicy.')]
      : []),
    ...(isObject(largeBlob) && largeBlob['read'] === true && largeBlob['write'] !== undefined
      ? [advise('error', '/extensions/largeBlob', 'read and write exclude each other.')]
      : []),
    ...(credProps === false ? [advise('note', '/extensions/credProps', 'Only true asks for it.')] : []),
  ];
}
