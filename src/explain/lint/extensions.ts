import { asObject, isObject } from '../../kernel/json-value.js';
import { type CeremonyKind, knownValue, listNames } from '../../webauthn/enumerations.js';
import {
  CHROMIUM_EXTENSIONS,
  CREDENTIAL_PROTECTION,
  EXTENSION_INPUTS,
  findBrowserName,
  findExtensionInput,
  LARGE_BLOB_SUPPORT,
  misusedExtensions,
} from '../../webauthn/extensions.js';
import { type Advice, advise, adviseWords, unknownMembers } from './advice.js';
import { lintBytes } from './members.js';

const AS_PRF = 'Browsers offer it as prf.';
const OF_U2F = 'It is only for U2F credentials.';
const REMARKS: ReadonlyMap<string, string> = new Map([
  ['appid', OF_U2F],
  ['appidExclude', OF_U2F],
  ['hmacCreateSecret', AS_PRF],
  ['hmacGetSecret', AS_PRF],
  ['uvm', 'It was removed from Level 3, and browsers drop it.'],
]);

/**
 * Gives advice on the extension inputs in options.
 *
 * @param allowed IDs in `allowCredentials`, as the options contain them.
 */
export function* lintExtensions(value: unknown, ceremony: CeremonyKind, allowed: readonly string[] = []): Generator<Advice> {
  if (value === undefined) return;
  if (!isObject(value)) return yield advise('error', '/extensions', 'An object is expected.');
  for (const name of Object.keys(value)) yield* lintExtension(name, ceremony);
  for (const { pointer, error, message } of misusedExtensions(value, ceremony, allowed)) {
    yield advise('error', `/extensions${pointer}`, `${message} Browsers throw ${error}.`);
  }
  yield* lintPrf(value['prf']);
  yield* lintLargeBlob(value['largeBlob'], ceremony);
  for (const [name, { expected, isRight }] of Object.entries(VALUES)) {
    const given = value[name];
    if (given === undefined || isRight(given)) continue;
    yield advise('error', `/extensions/${name}`, `${expected} is expected; got ${JSON.stringify(given)}.`);
  }
  const { enforceCredentialProtectionPolicy, credentialProtectionPolicy, credProps } = value;
  if (enforceCredentialProtectionPolicy !== undefined && credentialProtectionPolicy === undefined) {
    const pointer = '/extensions/enforceCredentialProtectionPolicy';
    yield advise('warning', pointer, 'It does nothing without credentialProtectionPolicy.');
  }
  if (credProps === false) yield advise('note', '/extensions/credProps', 'Only true requests it.');
}

const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
const isText = (value: unknown): boolean => typeof value === 'string';
const POLICIES = listNames(CREDENTIAL_PROTECTION);
/** Checks of extension inputs whose value is not an object, by the name of the extension. */
const VALUES: Readonly<Record<string, { readonly expected: string; readonly isRight: (value: unknown) => boolean }>> = {
  credentialProtectionPolicy: {
    expected: POLICIES.map((policy) => JSON.stringify(policy)).join(', '),
    isRight: (value) => knownValue(value, POLICIES) !== undefined,
  },
  enforceCredentialProtectionPolicy: { expected: 'true or false', isRight: isBoolean },
  credProps: { expected: 'true', isRight: isBoolean },
  minPinLength: { expected: 'true', isRight: isBoolean },
  getCredBlob: { expected: 'true', isRight: isBoolean },
  hmacCreateSecret: { expected: 'true', isRight: isBoolean },
  appid: { expected: 'A URL string', isRight: isText },
  appidExclude: { expected: 'A URL string', isRight: isText },
};

/** Gives advice on the inputs of the extension `prf` (§10.1.4). They may have any length, since the client hashes them. */
function* lintPrf(value: unknown): Generator<Advice> {
  const pointer = '/extensions/prf';
  if (value === undefined) return;
  if (!isObject(value)) {
    return yield advise(
      'error',
      pointer,
      `An object is expected: {} to ask whether prf is there, or { eval: { first } }; got ${JSON.stringify(value)}.`,
    );
  }
  yield* unknownMembers(pointer, value, ['eval', 'evalByCredential']);
  const { eval: salts, evalByCredential } = value;
  if (salts !== undefined) yield* lintSalts(`${pointer}/eval`, salts);
  if (evalByCredential !== undefined && !isObject(evalByCredential)) {
    yield advise('error', `${pointer}/evalByCredential`, 'Expected an object with { first } for each credential ID in base64url.');
  }
  for (const [id, each] of Object.entries(asObject(evalByCredential))) yield* lintSalts(`${pointer}/evalByCredential/${id}`, each);
}

function* lintSalts(pointer: string, value: unknown): Generator<Advice> {
  if (!isObject(value)) return yield advise('error', pointer, '{ first, second } with bytes is expected; browsers throw a TypeError.');
  yield* unknownMembers(pointer, value, ['first', 'second']);
  const { first, second } = value;
  if (first === undefined) yield advise('error', `${pointer}/first`, 'It is missing; browsers throw a TypeError without it.');
  else yield* lintBytes(`${pointer}/first`, first);
  if (second !== undefined) yield* lintBytes(`${pointer}/second`, second);
}

/** Gives advice on the inputs of the extension `largeBlob` (§10.1.5). */
function* lintLargeBlob(value: unknown, ceremony: CeremonyKind): Generator<Advice> {
  const pointer = '/extensions/largeBlob';
  if (value === undefined) return;
  if (!isObject(value)) {
    const form = ceremony === 'registration' ? '{ support: "preferred" }' : '{ read: true } or { write }';
    return yield advise('error', pointer, `An object is expected, ${form}; got ${JSON.stringify(value)}.`);
  }
  yield* unknownMembers(pointer, value, ['support', 'read', 'write']);
  const { support, read, write } = value;
  yield* adviseWords(`${pointer}/support`, support, LARGE_BLOB_SUPPORT, '"preferred"');
  const isRead = read === undefined || isBoolean(read);
  if (!isRead) yield advise('error', `${pointer}/read`, `true is expected; got ${JSON.stringify(read)}.`);
  if (write !== undefined) yield* lintBytes(`${pointer}/write`, write);
}

function* lintExtension(name: string, ceremony: CeremonyKind): Generator<Advice> {
  const pointer = `/extensions/${name}`;
  if (knownValue(name, CHROMIUM_EXTENSIONS) !== undefined) {
    return yield advise('note', pointer, 'Only Chromium supports it, and disables it for web pages; others ignore it.');
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
