import { isObject } from '../../kernel/json-value.js';
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
export function* lintExtensions(value: unknown, ceremony: CeremonyKind, allowed: readonly string[] = []): Generator<Advice> {
  if (value === undefined) return;
  if (!isObject(value)) return yield advise('error', '/extensions', 'An object is expected.');
  for (const name of Object.keys(value)) yield* lintExtension(name, ceremony);
  for (const { pointer, error, message } of misusedExtensions(value, ceremony, allowed)) {
    yield advise('error', `/extensions${pointer}`, `${message} Browsers throw ${error}.`);
  }
  const { enforceCredentialProtectionPolicy, credentialProtectionPolicy, credProps } = value;
  if (enforceCredentialProtectionPolicy !== undefined && credentialProtectionPolicy === undefined) {
    const pointer = '/extensions/enforceCredentialProtectionPolicy';
    yield advise('warning', pointer, 'It does nothing without credentialProtectionPolicy.');
  }
  if (credProps === false) yield advise('note', '/extensions/credProps', 'Only true asks for it.');
}

function* lintExtension(name: string, ceremony: CeremonyKind): Generator<Advice> {
  const pointer = `/extensions/${name}`;
  if (knownValue(name, CHROMIUM_EXTENSIONS) !== undefined) {
    return yield advise('note', pointer, 'Only Chromium knows it, and has it off for web pages; others ignore it.');
  }
  const known = findExtensionInput(name)?.ceremonies;
  if (known === undefined) {
    const meant = findBrowserName(name) ?? listNames(EXTENSION_INPUTS).find((candidate) => candidate.toLowerCase() === name.toLowerCase());
    const remedy = meant === undefined ? '' : ` Did you mean ${meant}?`;
    return yield advise('warning', pointer, `No browser knows this extension, so it is ignored.${remedy}`);
  }
  if (!known.includes(ceremony)) {
    return yield advise('error', pointer, `This extension belongs to the ${known.join(' and ')} only; here it is refused or ignored.`);
  }
  const remark = REMARKS.get(name);
  if (remark !== undefined) yield advise('note', pointer, remark);
}
