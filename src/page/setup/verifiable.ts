import { ALGORITHMS, algorithmName } from '../../webauthn/algorithms.js';
import { ATTESTATION_FORMAT_IDS, type CeremonyKind } from '../../webauthn/enumerations.js';
import { browserNameOf, findExtensionInput } from '../../webauthn/extensions.js';
import { isObject, type JsonObject } from '../../webauthn/json-value.js';
import { MAX_TIMEOUT } from '../../webauthn/limits.js';
import { getPath, numberAt, stringAt } from '../json.js';

/** What the server can verify, as `GET /dev/state` says it. It refuses options that ask for anything else. */
export interface Verifiable {
  /** COSEAlgorithmIdentifiers. */
  readonly algorithms: readonly number[];
  /** Attestation statement formats. */
  readonly formats: readonly string[];
  /** Extension inputs, undefined where it does not say. */
  readonly extensions: readonly string[] | undefined;
}

/** Until the server has said what it can. */
export const ALL_VERIFIABLE: Verifiable = {
  algorithms: ALGORITHMS.map(({ id }) => id),
  formats: ATTESTATION_FORMAT_IDS,
  extensions: undefined,
};

/** Reads the member `verifiable` of `GET /dev/state`. */
export function toVerifiable(value: unknown): Verifiable {
  const listed = <T>(member: string, read: (one: unknown) => T | undefined): T[] | undefined => {
    const list = getPath(value, [member]);
    return Array.isArray(list) ? list.flatMap((one) => read(one) ?? []) : undefined;
  };
  return {
    algorithms: listed('algorithms', (one) => numberAt(one, 'id')) ?? ALL_VERIFIABLE.algorithms,
    formats: listed('attestation_formats', (one) => stringAt(one, 'id')) ?? ALL_VERIFIABLE.formats,
    extensions: listed('extensions', (one) => stringAt(one, 'name')),
  };
}

/** Why changes of the options cannot be asked for: the server would not read them, or nobody could verify the answer. Empty where they can. */
export function unverifiable(
  dictionary: CeremonyKind,
  changed: JsonObject,
  { algorithms, formats, extensions: known }: Verifiable,
): string[] {
  const { pubKeyCredParams, attestationFormats, extensions } = changed;
  const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
  return [
    ...Object.entries(changed).flatMap(([name, value]) => misshapen(name, value) ?? []),
    ...list(pubKeyCredParams)
      .flatMap((entry) => numberAt(entry, 'alg') ?? [])
      .filter((alg) => !algorithms.includes(alg))
      .map((alg) => `This server cannot verify ${algorithmName(alg)} (${alg}). Take it out of pubKeyCredParams.`),
    ...list(attestationFormats)
      .filter((format) => typeof format === 'string' && !formats.includes(format))
      .map((format) => `This server cannot verify the format “${String(format)}”. Take it out of attestationFormats.`),
    ...Object.keys(isObject(extensions) ? extensions : {}).flatMap((name) => misplaced(dictionary, name, known) ?? []),
  ];
}

const LISTS: readonly string[] = ['pubKeyCredParams', 'attestationFormats', 'hints', 'excludeCredentials', 'allowCredentials'];
const OBJECTS: readonly string[] = ['authenticatorSelection', 'extensions'];

function misshapen(name: string, value: unknown): string | undefined {
  if (LISTS.includes(name) && !Array.isArray(value)) return `${name} must be a list.`;
  if (OBJECTS.includes(name) && !isObject(value)) return `${name} must be an object.`;
  const whole = Number.isInteger(value) && Number(value) > 0 && Number(value) <= MAX_TIMEOUT;
  return name === 'timeout' && !whole ? `timeout must be a whole number from 1 to ${MAX_TIMEOUT}.` : undefined;
}

function misplaced(dictionary: CeremonyKind, name: string, known: Verifiable['extensions']): string | undefined {
  const input = findExtensionInput(name);
  if (known !== undefined && !known.includes(name)) {
    const other = browserNameOf(name);
    return `This server knows no extension “${name}”${other === undefined ? '' : `; browsers call it ${other}`}. Take it out of extensions.`;
  }
  return input === undefined || input.ceremonies.includes(dictionary)
    ? undefined
    : `The extension ${name} is for ${input.ceremonies.join()} only. Take it out.`;
}
