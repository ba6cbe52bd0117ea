import { KNOWN_PERSONAS, PERSONA_NAMES, type PersonaName } from '../../authenticator/personas/personas.js';
import { algorithmName } from '../../webauthn/algorithms.js';

/** Lists the personas in the form that `GET /dev/personas` returns, for a page on which the user chooses one. */
export function personaRows() {
  return PERSONA_NAMES.map(describePersona);
}

function describePersona(name: PersonaName) {
  const { title, about, quirks, evidence, options } = KNOWN_PERSONAS[name];
  const { attachment = 'platform', transports = ['internal'], algorithms = [], attestation = 'none', extensions = [] } = options;
  const { backupState = false, alwaysDiscoverable = false, residentKey = true, signCount = { kind: 'zero' }, userVerifier } = options;
  const choices = Array.isArray(attestation) ? attestation : [attestation];
  return {
    id: name,
    name,
    title,
    description: about,
    about,
    quirks,
    evidence: evidence.kind,
    attachment,
    transports,
    algorithms: algorithms.map((id) => algorithmName(id)),
    // Whether its passkeys are copied to other devices, as their flags BE and BS say.
    synced: backupState,
    attestation: choices.map((choice) => (typeof choice === 'string' ? choice : choice.fmt)),
    extensions,
    user_verification: userVerifier?.canVerify ?? true,
    // `always`: also where the options do not ask for it.
    discoverable: !residentKey ? 'never' : alwaysDiscoverable ? 'always' : 'as-asked',
    counts: signCount.kind !== 'zero',
  };
}
