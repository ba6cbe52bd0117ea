import { hashOfRpId, hostSuffixes } from '../relying-party/diagnosis/rp-id.js';
import { toHex } from '../webauthn/bytes.js';
import { parseUrl } from '../webauthn/rp-id.js';
import type { CeremonyInput } from './ceremonies.js';
import type { Expectations } from './expectations.js';

/** RP IDs that the input may speak of, by the hexadecimal of their hash. */
export function rpIdHashes(ceremonies: readonly CeremonyInput[], { rpId, origins = [] }: Expectations): ReadonlyMap<string, string> {
  const named = ceremonies.flatMap(({ known }) => [known.rpId ?? [], (known.origins ?? []).map(hostOf)].flat());
  const candidates = [rpId ?? [], origins.map(hostOf), named, 'localhost'].flat().flatMap((host) => hostSuffixes(host));
  return new Map(candidates.map((candidate) => [toHex(hashOfRpId(candidate)), candidate]));
}

function hostOf(origin: string): string {
  return parseUrl(origin)?.hostname ?? origin;
}
