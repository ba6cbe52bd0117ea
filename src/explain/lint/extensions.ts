import { isObject } from '../../webauthn/json-value.js';
import { BROWSER_NAMES, CLIENT_EXTENSIONS } from '../../webauthn/option-names.js';
import { type Advice, advise } from './advice.js';

type Ceremony = 'registration' | 'authentication';

const AS_PRF = 'Browsers offer it as prf.';
const OF_U2F = 'It is for credentials of U2F days only.';
const REMARKS: ReadonlyMap<string, string> = new Map([
  ['appid', OF_U2F],
  ['appidExclude', OF_U2F],
  ['hmacCreateSecret', AS_PRF],
  ['hmacGetSecret', AS_PRF],
  ['uvm', 'It was removed from Level 3, and browsers drop it.'],
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
  const known = CLIENT_EXTENSIONS.get(name);
  if (known === undefined) {
    const meant =
      BROWSER_NAMES.get(name) ?? [...CLIENT_EXTENSIONS.keys()].find((candidate) => candidate.toLowerCase() === name.toLowerCase());
    return [
      advise(
        'warning',
        pointer,
        `No browser knows this extension, so it is ignored.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
      ),
    ];
  }
  if (!known.includes(ceremony)) {
    return [advise('error', pointer, `This extension belongs to the ${known.join(' and ')} only; here it is refused or ignored.`)];
  }
  const remark = REMARKS.get(name);
  return remark === undefined ? [] : [advise('note', pointer, remark)];
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
