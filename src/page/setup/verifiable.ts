import type { CeremonyKind } from '../../webauthn/enumerations.js';
import { isObject, type JsonObject } from '../../webauthn/json-value.js';
import { getPath, listAt, numberAt, stringAt } from '../json.js';

interface Extension {
  readonly name: string;
  /** The ceremonies that take it. */
  readonly ceremonies: readonly unknown[];
  /** As authenticators know it. */
  readonly authenticator: string | undefined;
}

/** What the server can verify, as `GET /dev/state` says it. It refuses options that ask for anything else. Undefined where it does not say. */
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

/** Why options cannot be asked for: nobody here could verify the answer. Empty where they can. */
export function unverifiable(
  dictionary: CeremonyKind,
  options: JsonObject,
  { algorithms, formats, extensions }: Partial<Verifiable>,
): string[] {
  return [
    ...listAt(options, 'pubKeyCredParams')
      .flatMap((entry) => numberAt(entry, 'alg') ?? [])
      .filter((alg) => algorithms?.includes(alg) === false)
      .map((alg) => `This server cannot verify COSE algorithm ${alg}. Take it out of pubKeyCredParams.`),
    ...listAt(options, 'attestationFormats')
      .filter((format) => typeof format === 'string' && formats?.includes(format) === false)
      .map((format) => `This server cannot verify the format “${String(format)}”. Take it out of attestationFormats.`),
    ...Object.keys(isObject(options['extensions']) ? options['extensions'] : {}).flatMap(
      (name) => (extensions && misplaced(dictionary, name, extensions)) ?? [],
    ),
  ];
}

function misplaced(dictionary: CeremonyKind, name: string, extensions: readonly Extension[]): string | undefined {
  const known = extensions.find((one) => one.name === name);
  if (known === undefined) {
    const other = extensions.find(({ authenticator }) => authenticator === name);
    return `This server knows no extension “${name}”${other === undefined ? '' : `; browsers call it ${other.name}`}. Take it out of extensions.`;
  }
  return known.ceremonies.includes(dictionary) ? undefined : `The extension ${name} is for ${known.ceremonies.join()} only. Take it out.`;
}
