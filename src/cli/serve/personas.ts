import { KNOWN_PERSONAS, PERSONA_NAMES, type PersonaName } from '../../authenticator/personas/personas.js';
import { algorithmName } from '../../webauthn/algorithms.js';

/** A kind of authenticator as `GET /dev/personas` lists it, for a chooser. */
interface PersonaRow {
  /** The value of `persona` in `POST /dev/answer`; `name` is the same. */
  readonly id: PersonaName;
  readonly name: PersonaName;
  /** As people call it. */
  readonly title: string;
  /** One line; `about` is the same. */
  readonly description: string;
  readonly about: string;
  readonly quirks: readonly string[];
  readonly evidence: 'recorded' | 'documentation';
  readonly attachment: string;
  readonly transports: readonly string[];
  /** Names, such as `ES256`. */
  readonly algorithms: readonly string[];
  /** Whether its passkeys are copied to other devices, as their flags BE and BS say. */
  readonly synced: boolean;
  /** How it attests where that is asked for, e.g. `packed-x5c`; several, most preferred first; `none` where it never does. */
  readonly attestation: readonly string[];
  /** Identifiers of the authenticator extensions that it has. */
  readonly extensions: readonly string[];
  /** Whether it can tell who its user is; otherwise only that somebody is present. */
  readonly user_verification: boolean;
  /** `always`: also where nobody asks for it. */
  readonly discoverable: 'always' | 'as-asked' | 'never';
  /** Whether its signature counter grows. */
  readonly counts: boolean;
}

export function personaRows(): readonly PersonaRow[] {
  return PERSONA_NAMES.map(describePersona);
}

function describePersona(name: PersonaName): PersonaRow {
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
    synced: backupState,
    attestation: choices.map((choice) => (typeof choice === 'string' ? choice : choice.fmt)),
    extensions,
    user_verification: userVerifier?.canVerify ?? true,
    discoverable: !residentKey ? 'never' : alwaysDiscoverable ? 'always' : 'as-asked',
    counts: signCount.kind !== 'zero',
  };
}
