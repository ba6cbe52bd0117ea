import type { FieldError } from '../errors.js';
import { escapePointer } from '../kernel/json-location.js';
import { ALGORITHMS, algorithmName, findAlgorithm } from '../webauthn/algorithms.js';
import { ATTESTATION_FORMAT_IDS, ATTESTATION_FORMATS, type CeremonyKind, knownValue, listNames } from '../webauthn/enumerations.js';
import { EXTENSION_INPUTS, findExtensionInput } from '../webauthn/extensions.js';
import type { Verifiable } from './schemas/development.js';
import { fieldErrors } from './validation.js';

export const VERIFIABLE: Verifiable = {
  algorithms: ALGORITHMS.map(({ id, name }) => ({ id, name })),
  extensions: listNames(EXTENSION_INPUTS).map((name) => {
    const { ceremonies, authenticator = null } = findExtensionInput(name) ?? { ceremonies: EXTENSION_INPUTS[name].ceremonies };
    return { name, ceremonies, authenticator };
  }),
  attestation_formats: ATTESTATION_FORMAT_IDS.map((id) => {
    const { section, madeBy } = ATTESTATION_FORMATS[id];
    return { id, section, made_by: madeBy };
  }),
};

interface Asked {
  readonly pubKeyCredParams?: readonly { readonly type: string; readonly alg: number }[] | undefined;
  readonly attestationFormats?: readonly string[] | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Refuses options that ask for something this server could not verify, such as an unknown algorithm.
 *
 * @throws PasskeyError `validation_failed` naming each member that cannot be verified, and the alternatives.
 */
export function refuseUnverifiable(
  ceremony: CeremonyKind,
  { pubKeyCredParams = [], attestationFormats = [], extensions = {} }: Asked,
): void {
  const errors = [
    // Browsers pass over other types.
    ...pubKeyCredParams.flatMap(({ type, alg }, at) => (type === 'public-key' ? unknownAlgorithm(alg, at) : [])),
    ...attestationFormats.flatMap(unknownFormat),
    ...Object.keys(extensions).flatMap((name) => unknownExtension(name, ceremony)),
  ];
  if (errors.length > 0) throw fieldErrors(errors);
}

function unknownAlgorithm(alg: number, at: number): FieldError[] {
  if (findAlgorithm(alg) !== undefined) return [];
  const known = ALGORITHMS.map(({ id }) => `${id} (${algorithmName(id)})`).join(', ');
  return [
    { pointer: `/options/pubKeyCredParams/${at}/alg`, detail: `is ${alg}, which this server cannot verify; request one of ${known}` },
  ];
}

function unknownFormat(format: string, at: number): FieldError[] {
  if (knownValue(format, ATTESTATION_FORMAT_IDS) !== undefined) return [];
  const pointer = `/options/attestationFormats/${at}`;
  return [{ pointer, detail: `is a format that this server cannot verify; request one of ${ATTESTATION_FORMAT_IDS.join(', ')}` }];
}

function unknownExtension(name: string, ceremony: CeremonyKind): FieldError[] {
  const known = findExtensionInput(name);
  if (known?.ceremonies.includes(ceremony)) return [];
  const fitting = listNames(EXTENSION_INPUTS).filter((each) => findExtensionInput(each)?.ceremonies.includes(ceremony));
  const why = known === undefined ? 'is not an extension that this server knows' : `is for ${known.ceremonies.join()} only`;
  return [{ pointer: `/options/extensions/${escapePointer(name)}`, detail: `${why}; ${ceremony} takes ${fitting.join(', ')}` }];
}
