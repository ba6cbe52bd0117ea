import type { PersonaName } from '../../authenticator/personas/personas.js';
import type { JsonObject } from '../../kernel/json-value.js';
import type { CeremonyCase } from '../engine/ceremony-cases.js';
import type { Login } from '../target/driver.js';

/** What a ceremony must be like for a mutation to fit: what who asks for one must see to. */
export interface MutationAsks {
  /** Members of the options that overwrite what the relying party asks for by itself. */
  readonly options: JsonObject;
  /** Whether request options must name the credential; null: either way. */
  readonly login: Login | null;
  /** Of our own API: where an authentication response goes. */
  readonly endpoint: 'login' | 'verify';
  /** Whose credential fits; null: that of any authenticator. */
  readonly persona: PersonaName | null;
  /** COSEAlgorithmIdentifiers of which the credential of a login must be one; null: any. */
  readonly algorithms: readonly number[] | null;
}

export function mutationAsks({ wants = {}, builtOf: { ceremony, spec } }: CeremonyCase): MutationAsks {
  const { userVerification, residentKey, attestation, algorithms, login, endpoint = 'login' } = wants;
  const { signCount, backupEligible, algorithms: keys } = spec.browser?.authenticator ?? {};
  const registering = ceremony === 'registration';
  const selection = {
    ...(userVerification !== undefined && { userVerification }),
    ...(residentKey !== undefined && { residentKey }),
  };
  const ofRegistration = {
    ...(Object.keys(selection).length > 0 && { authenticatorSelection: selection }),
    ...(attestation !== undefined && { attestation }),
    ...(algorithms !== undefined && { pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })) }),
  };
  return {
    options: registering ? ofRegistration : { ...(userVerification !== undefined && { userVerification }) },
    login: login ?? null,
    endpoint,
    persona: registering ? null : personaFor(signCount !== undefined, backupEligible === true),
    algorithms: registering || spec.anyAlgorithm === true ? null : (keys ?? null),
  };
}

/** One counts its signatures, the other is copied to other devices. */
function personaFor(counts: boolean, eligible: boolean): PersonaName | null {
  if (counts) return 'yubikey-5';
  return eligible ? 'icloud-keychain' : null;
}
