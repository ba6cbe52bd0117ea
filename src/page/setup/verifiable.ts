import { isObject, type JsonObject } from '../../kernel/json-value.js';
import { MAX_TIMEOUT } from '../../kernel/limits.js';
import type { CeremonyKind } from '../../webauthn/enumerations.js';
import { getPath, listAt, numberAt, stringAt } from '../json.js';

interface Extension {
  readonly name: string;
  /** The ceremonies that take it. */
  readonly ceremonies: readonly unknown[];
  /** As authenticators know it. */
  readonly authenticator: string | undefined;
}

/** Algorithms, formats and extensions that the server can verify, from `GET /dev/state`. It refuses options that ask for others. Undefined if unknown. */
export interface Verifiable {
  /** COSEAlgorithmIdentifiers. */
  readonly algorithms: readonly number[] | undefined;
  /** Attestation statement formats. */
  readonly formats: readonly string[] | undefined;
  readonly extensions: readonly Extension[] | undefined;
}

/** Reads the member `verifiable` of `GET /dev/state`. */
export function toVerifiable(value: unknown): Verifiable {
  const listed = <T>(member: string, read: (one: unknown) => T | undefined): T[] | undefined =>
    getPath(value, [member]) === undefined ? undefined : listAt(value, member).flatMap((one) => read(one) ?? []);
  return {
    algorithms: listed('algorithms', (one) => numberAt(one, 'id')),
    formats: listed('attestation_formats', (one) => stringAt(one, 'id')),
    extensions: listed('extensions', (one) => ({
      name: stringAt(one, 'name') ?? '',
      ceremonies: listAt(one, 'ceremonies'),
      authenticator: stringAt(one, 'authenticator'),
    })),
  };
}

/** Why changes of the options cannot be asked for: the server would not read them, or nobody could verify the answer. Empty where they can. */
export function unverifiable(
  dictionary: CeremonyKind,
  changed: JsonObject,
  { algorithms, formats, extensions: known }: Partial<Verifiable>,
): string[] {
  const { extensions } = changed;
  return [
    ...Object.entries(changed).flatMap(([name, value]) => misshapen(name, value) ?? []),
    ...listAt(changed, 'pubKeyCredParams')
      .flatMap((entry) => numberAt(entry, 'alg') ?? [])
      .filter((alg) => algorithms?.includes(alg) === false)
      .map((alg) => `This server cannot verify COSE algorithm ${alg}. Take it out of pubKeyCredParams.`),
    ...listAt(changed, 'attestationFormats')
      .filter((format) => typeof format === 'string' && formats?.includes(format) === false)
      .map((format) => `This server cannot verify the format “${String(format)}”. Take it out of attestationFormats.`),
    ...Object.keys(isObject(extensions) ? extensions : {}).flatMap((name) => (known && misplaced(dictionary, name, known)) ?? []),
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

function misplaced(dictionary: CeremonyKind, name: string, extensions: readonly Extension[]): string | undefined {
  const known = extensions.find((one) => one.name === name);
  if (known === undefined) {
    const other = extensions.find(({ authenticator }) => authenticator === name);
    return `This server knows no extension “${name}”${other === undefined ? '' : `; browsers call it ${other.name}`}. Take it out of extensions.`;
  }
  return known.ceremonies.includes(dictionary) ? undefined : `The extension ${name} is for ${known.ceremonies.join()} only. Take it out.`;
}
