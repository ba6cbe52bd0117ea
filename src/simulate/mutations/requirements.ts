import type { Case } from '../engine/case.js';
import { FURTHER_ORIGIN } from '../engine/wants.js';

/**
 * What a case wants of a relying party beyond its options, in words. What it wants of the options is checked when they are there.
 */
export function requirementsOf({ wants = {}, origin }: Pick<Case, 'wants' | 'origin'>): readonly string[] {
  const { trust, selfAttestation, format, topOrigin, furtherOrigins, originMatch, publicKeys, counter } = wants;
  return [
    ...(origin === undefined ? [] : [`its RP ID is a subdomain, such as that of ${origin}`]),
    ...(format === undefined || format === 'none' ? [] : [`it takes the attestation statement format ${format}`]),
    ...(trust === true ? ['it trusts the root of `passkey attestation-root`, and no other'] : []),
    ...(trust === false ? ['it does not ask whether certificates lead to a trusted root'] : []),
    ...(selfAttestation === true ? ['it accepts self attestation'] : []),
    ...(selfAttestation === false ? ['it refuses self attestation where it asks for attestation'] : []),
    ...(topOrigin === true ? ['it accepts a page in a frame under the top-level origin'] : []),
    ...(topOrigin === false ? ['it accepts no pages in frames of other origins'] : []),
    ...(furtherOrigins === true ? [`it accepts the origin ${FURTHER_ORIGIN} as well`] : []),
    ...(originMatch === 'exact' ? ['it compares origins as whole texts'] : []),
    ...(originMatch === 'parsed' ? ['it accepts no subdomains of the origin'] : []),
    ...(publicKeys === 'checked' ? ['it refuses a public key that its algorithm cannot use'] : []),
    ...(publicKeys === 'strict' ? ['it refuses a public key that is weak or has further members'] : []),
    ...(counter === true ? ['it refuses a sign count that has not grown'] : []),
  ];
}
