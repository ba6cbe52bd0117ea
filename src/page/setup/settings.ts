import type { JsonObject } from '../../kernel/json-value.js';
import {
  ATTACHMENTS,
  ATTESTATION_CONVEYANCES,
  type CeremonyKind,
  HINTS,
  listNames,
  REQUIREMENT_LEVELS,
} from '../../webauthn/enumerations.js';
import { getPath, sameJson, setPath } from '../json.js';
import type { ServerState } from '../state.js';

interface Choice {
  readonly label: string;
  readonly value: unknown;
}

/**
 * A member of the options that has its own control on the page, because people change it often. All other members are changed in the JSON.
 */
export interface Setting {
  /** Path of the member in the options. The last name in the path is the label. */
  readonly path: readonly string[];
  readonly choices: readonly Choice[];
  /** True if the user can choose several values, which keep the order of the choices. */
  readonly several?: boolean;
  readonly help?: string;
}

/** Creation or request options: the server's own members, and the changed ones. */
export interface Options {
  readonly own: JsonObject;
  readonly changed: JsonObject;
}

/** Choice that a select control shows for a value that can only be set in the JSON. */
export const AS_IN_JSON = 'json';

const same = (values: readonly string[]): readonly Choice[] => values.map((value) => ({ label: value, value }));
const HINT: Setting = {
  path: ['hints'],
  choices: same(listNames(HINTS)),
  several: true,
  help: 'Authenticators that the browser offers first. None checked: the browser decides.',
};
const VERIFICATION = { choices: same(REQUIREMENT_LEVELS), help: 'PIN, fingerprint or face.' };

/** Lists the settings of the creation or request options. Offers only algorithms that the server can verify. */
export function listSettings(dictionary: CeremonyKind, algorithms: ServerState['verifiable']['algorithms']): readonly Setting[] {
  if (dictionary === 'authentication') return [{ path: ['userVerification'], ...VERIFICATION }, HINT];
  const selection = (name: string) => ['authenticatorSelection', name];
  return [
    { path: selection('authenticatorAttachment'), choices: same(ATTACHMENTS) },
    {
      path: selection('residentKey'),
      choices: same(REQUIREMENT_LEVELS),
      help: 'A discoverable passkey: it can log in without a user name.',
    },
    { path: selection('userVerification'), ...VERIFICATION },
    { path: ['attestation'], choices: same(ATTESTATION_CONVEYANCES) },
    HINT,
    {
      path: ['pubKeyCredParams'],
      choices: algorithms.map(({ id, name }) => ({ label: `${name} (${id})`, value: { type: 'public-key', alg: id } })),
      several: true,
      help: 'Most preferred first: in the order in which you check them.',
    },
  ];
}

/** Reads the value that the browser gets: the changed value, or else the server's own. Null if the user removed the member. */
function readValue({ path }: Setting, { own, changed }: Options): unknown {
  const value = getPath(changed, path);
  return value === undefined ? getPath(own, path) : value;
}

/** Tests whether the browser gets a value for this setting that differs from the server's own. */
export function isChanged({ path }: Setting, { own, changed }: Options): boolean {
  const value = getPath(changed, path);
  return value !== undefined && !sameJson(value, getPath(own, path));
}

/** Reads the label of the selected choice; empty for a member that is not sent. */
export function readChoice(setting: Setting, options: Options): string {
  const value = readValue(setting, options);
  return value === undefined ? '' : (setting.choices.find((choice) => sameJson(choice.value, value))?.label ?? AS_IN_JSON);
}

/** Computes the changed members after the user makes a choice. A value that the server sends anyway is not a change. */
export function writeChoice(setting: Setting, options: Options, label: string): JsonObject {
  return label === AS_IN_JSON ? options.changed : write(setting, options, setting.choices.find((choice) => choice.label === label)?.value);
}

function write({ path }: Setting, { own, changed }: Options, value: unknown): JsonObject {
  return setPath(changed, path, sameJson(value, getPath(own, path)) ? undefined : value);
}

function readList(setting: Setting, options: Options): readonly unknown[] {
  const value = readValue(setting, options);
  return Array.isArray(value) ? value : [];
}

/** Tests whether the setting's list of values contains a choice. */
export function isChecked(setting: Setting, options: Options, { value }: Choice): boolean {
  return readList(setting, options).some((entry) => sameJson(entry, value));
}

/** Computes the changed members after the user adds a choice to the setting's list or removes it. Keeps values that have no check box. */
export function check(setting: Setting, options: Options, { value }: Choice, on: boolean): JsonObject {
  const others = readList(setting, options).filter((entry) => !sameJson(entry, value));
  const list = on ? [...others, value] : others;
  const none = list.length === 0 && getPath(options.own, setting.path) === undefined;
  return write(setting, options, none ? undefined : list);
}
