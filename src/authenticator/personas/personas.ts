import { listNames } from '../../webauthn/enumerations.js';
import { DEVICE_PERSONAS } from './devices.js';
import type { Persona, PersonaOptions } from './persona.js';
import { SYNCED_PERSONAS } from './synced.js';

export type PersonaName = keyof typeof SYNCED_PERSONAS | keyof typeof DEVICE_PERSONAS;

/** Each persona, with the evidence for it. */
export const KNOWN_PERSONAS: Readonly<Record<PersonaName, Persona>> = { ...SYNCED_PERSONAS, ...DEVICE_PERSONAS };
export const PERSONA_NAMES: readonly PersonaName[] = listNames(KNOWN_PERSONAS);

/**
 * Well-known kinds of authenticators, as a relying party sees them: AAGUID, flags, counter, transports, algorithms, attestation. For
 * `createAuthenticator`. They imitate behaviour only: what they attest leads to the test root, to none of their vendors.
 */
export const PERSONAS: Readonly<Record<PersonaName, PersonaOptions>> = listOptions(KNOWN_PERSONAS);

function listOptions(personas: Readonly<Record<PersonaName, Persona>>): Record<PersonaName, PersonaOptions> {
  const options: Partial<Record<PersonaName, PersonaOptions>> = {};
  for (const name of listNames(personas)) options[name] = personas[name].options;
  return options as Record<PersonaName, PersonaOptions>;
}
