import { isObject, type JsonObject } from '../../kernel/json-value.js';
import { type CeremonyKind, knownValue, listNames } from '../../webauthn/enumerations.js';
import {
  CHROMIUM_EXTENSIONS,
  EXTENSION_INPUTS,
  findBrowserName,
  findExtensionInput,
  misusedExtensions,
} from '../../webauthn/extensions.js';
import { type Advice, advise } from './advice.js';

const AS_PRF = 'Browsers offer it as prf.';
const OF_U2F = 'It is for credentials of U2F days only.';
const REMARKS: ReadonlyMap<string, string> = new Map([
  ['appid', OF_U2F],
  ['appidExclude', OF_U2F],
  ['hmacCreateSecret', AS_PRF],
  ['hmacGetSecret', AS_PRF],
  ['uvm', 'It was removed from Level 3, and browsers drop it.'],
]);

/** @param allowed IDs in `allowCredentials`, as they are written there. */
export function lintExtensions(value: unknown, ceremony: CeremonyKind, allowed: readonly string[] = []): Advice[] {
  if (value === undefined) {
    return [];
  }
  if (!isObject(value)) {
    return [advise('error', '/extensions', 'An object is expected.')];
  }
  return [
    ...Object.keys(value).flatMap((name) => lintExtension(name, ceremony)),
    ...misusedExtensions(value, ceremony, allowed).map(({ pointer, error, message }) =>
      advise('error', `/extensions${pointer}`, `${message} Browsers throw ${error}.`),
    ),
    ...lintInputs(value),
  ];
}

function lintExtension(name: string, ceremony: CeremonyKind): Advice[] {
  const pointer = `/extensions/${name}`;
  if (knownValue(name, CHROMIUM_EXTENSIONS) !== undefined) {
    return [advise('note', pointer, 'Only Chromium knows it, and has it off for web pages; others ignore it.')];
  }
  const known = findExtensionInput(name)?.ceremonies;
  if (known === undefined) {
    const meant = findBrowserName(name) ?? listNames(EXTENSION_INPUTS).find((candidate) => candidate.toLowerCase() === name.toLowerCase());
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

function lintInputs({ enforceCredentialProtectionPolicy, credentialProtectionPolicy, credProps }: JsonObject): Advice[] {
  return [
    ...(enforceCredentialProtectionPolicy !== undefined && credentialProtectionPolicy === undefined
      ? [advise('warning', '/extensions/enforceCredentialProtectionPolicy', 'It does nothing without credentialProtectionPolicy.')]
      : []),
    ...(credProps === false ? [advise('note', '/extensions/credProps', 'Only true asks for it.')] : []),
  ];
}
