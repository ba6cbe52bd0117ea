import { asObject, isObject, type JsonObject } from '../../kernel/json-value.js';
import type { CeremonyKind } from '../../webauthn/enumerations.js';
import { CREATION_MEMBERS, REQUEST_MEMBERS } from '../../webauthn/json.js';
import { parseUrl } from '../../webauthn/rp-id.js';
import { sameJson, withoutNulls } from '../json.js';
import { type AppState, isRevoked } from '../state.js';

/** Name of the application, for a setup that contains none. */
export const APP_NAME = 'Passkey test page';

/** Placeholders for values that the server makes afresh for each ceremony. */
const PLACEHOLDERS = {
  challenge: '(new each time)',
  userId: '(the user handle)',
  userName: '(signed-in user)',
  excludeCredentials: '(this user’s passkeys)',
} as const;

/** Default policy of `passkey serve`, shown until the server has sent its own. */
const UNTOLD = {
  algorithms: [-7, -257],
  attestation: 'none',
  residentKey: 'preferred',
  userVerification: 'preferred',
  timeout: 60_000,
} as const;

/** Builds the server's own creation or request options, with placeholders for values that are fresh in each ceremony. */
export function ownOptions(
  dictionary: CeremonyKind,
  { server, user, setup, passkeys }: Pick<AppState, 'server' | 'user' | 'setup' | 'passkeys'>,
  origin: string,
): JsonObject {
  const { algorithms, attestation, residentKey, userVerification, timeout } = server?.policy ?? UNTOLD;
  const host = (parseUrl(setup.appUrl === '' ? origin : setup.appUrl) ?? new URL(origin)).hostname;
  const { challenge } = PLACEHOLDERS;
  if (dictionary === 'authentication') return { challenge, timeout, rpId: host, userVerification };
  return {
    rp: { name: setup.appName === '' ? APP_NAME : setup.appName, id: host },
    user: { id: PLACEHOLDERS.userId, name: user?.email ?? PLACEHOLDERS.userName, displayName: user?.name ?? PLACEHOLDERS.userName },
    challenge,
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    timeout,
    ...(passkeys.some((passkey) => !isRevoked(passkey)) && { excludeCredentials: PLACEHOLDERS.excludeCredentials }),
    authenticatorSelection: { residentKey, userVerification },
    attestation,
  };
}

/** Names of the options' members, in the order of the standard. */
const MEMBERS: Readonly<Record<CeremonyKind, readonly string[]>> = {
  registration: CREATION_MEMBERS,
  authentication: REQUEST_MEMBERS,
};

/** Name of the only member whose own members can be changed one by one. */
const SELECTION = 'authenticatorSelection';

/**
 * Members, by ceremony, for which the server always sends its own values, whatever the editor contains. They bind the response to the
 * ceremony.
 */
const BOUND: Readonly<Record<CeremonyKind, readonly string[]>> = {
  registration: ['challenge', 'rp', 'user'],
  authentication: ['challenge'],
};

export function isBound(dictionary: CeremonyKind, name: string): boolean {
  return BOUND[dictionary].includes(name);
}

/** Removes changes to the members for which the server always sends its own values. */
export function withoutBound(dictionary: CeremonyKind, changed: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(changed).filter(([name]) => !isBound(dictionary, name)));
}

/** Builds the options that the browser gets: the server's own members, with the changed members replacing them. */
export function effectiveOptions(dictionary: CeremonyKind, own: JsonObject, changed: JsonObject): JsonObject {
  const selection = changed[SELECTION];
  const merged: JsonObject = {
    ...own,
    ...withoutBound(dictionary, changed),
    ...(isObject(selection) && { [SELECTION]: withoutNulls({ ...asObject(own[SELECTION]), ...selection }) }),
  };
  const order = [...MEMBERS[dictionary], ...Object.keys(merged)];
  return Object.fromEntries([...new Set(order)].filter((name) => merged[name] !== undefined).map((name) => [name, merged[name]]));
}

/**
 * Finds the changes that turn the server's own options into `edited`. A removed member of `authenticatorSelection` is null in the result.
 * Other members cannot be removed, because the server always sends them: see {@link takenOut}.
 */
export function changesIn(own: JsonObject, edited: JsonObject): JsonObject {
  const changes = Object.entries(edited).flatMap(([name, value]): [string, unknown][] => {
    if (sameJson(value, own[name])) return [];
    const given = own[name];
    if (name !== SELECTION || !isObject(value) || !isObject(given)) return [[name, value]];
    const missing = Object.keys(given).filter((member) => value[member] === undefined);
    const different = Object.entries(value).filter(([member, one]) => !sameJson(one, given[member]));
    return [[name, Object.fromEntries([...different, ...missing.map((member): [string, null] => [member, null])])]];
  });
  return Object.fromEntries(changes);
}

/** Lists the server's own members that the user has removed in `edited`. The server sends them anyway. */
export function takenOut(own: JsonObject, edited: JsonObject): string[] {
  return Object.keys(own).filter((name) => edited[name] === undefined && name !== 'excludeCredentials');
}

/** Lists hints about the names of changed members, such as probable misspellings. No name counts as an error. */
export function remarksOn(dictionary: CeremonyKind, changed: JsonObject): string[] {
  return Object.keys(changed).flatMap((name) => {
    if (isBound(dictionary, name)) return `${name} comes from the server; the value here is not used.`;
    return MEMBERS[dictionary].includes(name) ? [] : `${name} is not a member of these options; browsers ignore it.`;
  });
}
