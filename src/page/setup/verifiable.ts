import { isObject, type JsonObject } from '../../kernel/json-value.js';
import { MAX_TIMEOUT } from '../../kernel/limits.js';
import type { Verifiable } from '../../server/schemas/development.js';
import type { CeremonyKind } from '../../webauthn/enumerations.js';
import { listAt, numberAt } from '../json.js';

/** Lists the reasons why changed options cannot be used: the server could not read them, or could not verify the response. */
export function unverifiable(dictionary: CeremonyKind, changed: JsonObject, known: Verifiable | undefined): string[] {
  const { extensions } = changed;
  const misshaped = Object.entries(changed).flatMap(([name, value]) => misshapen(name, value) ?? []);
  if (known === undefined) return misshaped;
  return [
    ...misshaped,
    ...listAt(changed, 'pubKeyCredParams')
      .flatMap((entry) => numberAt(entry, 'alg') ?? [])
      .filter((alg) => !known.algorithms.some(({ id }) => id === alg))
      .map((alg) => `This server cannot verify COSE algorithm ${alg}. Take it out of pubKeyCredParams.`),
    ...listAt(changed, 'attestationFormats')
      .filter((format) => typeof format === 'string' && !known.attestation_formats.some(({ id }) => id === format))
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

function misplaced(dictionary: CeremonyKind, name: string, { extensions }: Verifiable): string | undefined {
  const known = extensions.find((one) => one.name === name);
  if (known === undefined) {
    const other = extensions.find(({ authenticator }) => authenticator === name);
    return `This server knows no extension “${name}”${other === undefined ? '' : `; browsers call it ${other.name}`}. Take it out of extensions.`;
  }
  return known.ceremonies.includes(dictionary) ? undefined : `The extension ${name} is for ${known.ceremonies.join()} only. Take it out.`;
}
