import { listNames } from '../../webauthn/enumerations.js';
import { androidKeyAttestation } from './android-key.js';
import { safetyNetAttestation } from './android-safetynet.js';
import { appleAttestation } from './apple.js';
import { type AttestationAuthority, createAttestationAuthority } from './authority.js';
import { compoundAttestation } from './compound.js';
import { fidoU2fAttestation } from './fido-u2f.js';
import { type AttestationFormat, noneAttestation } from './format.js';
import { type PackedAttestationOptions, packedAttestation, packedSelfAttestation } from './packed.js';
import { tpmAttestation } from './tpm.js';

type Make = (authority: AttestationAuthority, options: PackedAttestationOptions) => AttestationFormat;

/** Attestations that can be chosen by name: the formats of §8, with `packed` both as self attestation and with certificates. */
const NAMED = {
  none: () => noneAttestation,
  packed: () => packedSelfAttestation,
  'packed-x5c': packedAttestation,
  tpm: (authority) => tpmAttestation(authority),
  'android-key': (authority) => androidKeyAttestation(authority),
  'android-safetynet': (authority) => safetyNetAttestation(authority),
  apple: appleAttestation,
  'fido-u2f': fidoU2fAttestation,
  compound: (authority, options) => compoundAttestation([packedAttestation(authority, options), androidKeyAttestation(authority)]),
} as const satisfies Record<string, Make>;

export type AttestationName = keyof typeof NAMED;
export const ATTESTATION_NAMES: readonly AttestationName[] = listNames(NAMED);

/** Choice of an authenticator's attestation: a name, or your own format. */
export type AttestationChoice = AttestationName | AttestationFormat;

interface AttestationTraits extends PackedAttestationOptions {
  /** One attestation or several, most preferred first. */
  readonly attestation: AttestationChoice | readonly AttestationChoice[];
  /** Authority that issues the certificates; default: the public one for tests. */
  readonly authority?: AttestationAuthority;
}

/**
 * Creates the formats of an authenticator, most preferred first. The last is `none`, for clients that request it and for credentials that
 * no other format can attest.
 *
 * @throws TypeError for a name that is not in {@link ATTESTATION_NAMES}.
 */
export function attestationFormats({
  attestation,
  authority,
  ...options
}: AttestationTraits): readonly [AttestationFormat, ...AttestationFormat[]] {
  let made = authority;
  const choices: readonly AttestationChoice[] = isList(attestation) ? attestation : [attestation];
  const formats = choices.map((choice) => {
    if (typeof choice !== 'string') return choice;
    const make: Make | undefined = Object.hasOwn(NAMED, choice) ? NAMED[choice] : undefined;
    if (make === undefined) {
      throw new TypeError(
        `Expected an attestation to be one of ${ATTESTATION_NAMES.join(', ')} or your own format; got ${JSON.stringify(choice)}.`,
      );
    }
    made ??= createAttestationAuthority();
    return make(made, options);
  });
  const [first = noneAttestation, ...others] = formats;
  return [first, ...others, noneAttestation];
}

function isList(value: AttestationChoice | readonly AttestationChoice[]): value is readonly AttestationChoice[] {
  return Array.isArray(value);
}
