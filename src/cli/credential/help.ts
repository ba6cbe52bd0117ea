import { PERSONA_NAMES } from '../../authenticator/personas/personas.js';

export const SECRETS = 'The file of --credentials holds private keys, for tests only. Only its owner can read it (mode 0600).';

export const PERSONAS_HELP = `Personas, described in docs/personas.md: ${PERSONA_NAMES.join(', ')}.`;
