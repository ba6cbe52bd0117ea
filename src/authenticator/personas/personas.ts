import { listNames } from '../../webauthn/enumerations.js';
import { DEVICE_PERSONAS } from './devices.js';
import type { Persona, PersonaOptions } from './persona.js';
import { SYNCED_PERSONAS } from './synced.js';

export type PersonaName = keyof typeof SYNCED_PERSONAS | keyof typeof DEVICE_PERSONAS;

/** Every persona, with the evidence for its traits. */
export const KNOWN_PERSONAS: Readonly<Record<PersonaName, Persona>> = { ...SYNCED_PERSONAS, ...DEVICE_PERSONAS };
export const PERSONA_NAMES: readonly PersonaName[] = listNames(KNOWN_PERSONAS);

/**
 * Options for `createAuthenticator` that imitate well-known authenticators: AAGUID, flags, counter, transports, algorithms, attestation.
 * They imitate only the behaviour: the attestation certificates lead to the test root, never to a vendor's.
 */
export const PERSONAS: Readonly<Record<PersonaName, PersonaOptions>> = listOptions(KNOWN_PERSONAS);

function listOptions(personas: Readonly<Record<PersonaName, Persona>>): Record<PersonaName, PersonaOptions> {
  const options: Partial<Record<PersonaName, PersonaOptions>> = {};
  for (const name of listNames(personas)) options[name] = personas[name].options;
  return options as Record<PersonaName, PersonaOptions>;
}
