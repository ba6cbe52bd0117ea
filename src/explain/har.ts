import { decodeBase64 } from '../webauthn/base64url.js';
import { isObject, type JsonObject, objectOf } from '../webauthn/json-value.js';
import { parseUrl } from '../webauthn/rp-id.js';
import { type HarCeremony, type HarFinding, harCeremonies } from './annotate/har.js';
import { type CeremonyInput, ceremonyOf, challengeState } from './ceremonies.js';
import type { Expectations } from './expectations.js';
import type { KnownCredential } from './report/known-ceremony.js';

/** The ceremonies of an HTTP archive or of a run of the test page, each held against its options, its page and, for a login, the registration recorded before it. */
export function ceremoniesOfHar(findings: readonly HarFinding[], expectations: Expectations, now: number): CeremonyInput[] {
  /** By the ID of the credential, as it was written. */
  const registrations = new Map<unknown, HarCeremony>();
  return harCeremonies(findings).map((found) => {
    const { kind, credential, options, url, mediation } = found;
    const { id } = credential.json;
    const origin = found.origin ?? parseUrl(url)?.origin;
    const recorded = {
      name: `${kind}, ${url}`,
      rpId: rpIdOf(options) ?? (origin === undefined ? undefined : parseUrl(origin)?.hostname),
      origins: origin === undefined ? undefined : [origin],
      challenge: challengeState(credential, bytesOf(options?.['challenge'])),
      userVerification: userVerificationOf(options) === 'required' ? ('required' as const) : ('preferred' as const),
      options,
      mediation,
      algorithms: algorithmsOf(options),
      // A key that is given may be that of another credential.
      credential: kind === 'authentication' && expectations.publicKey === undefined ? registeredBy(registrations.get(id)) : undefined,
      allowCredentials: allowedOf(options),
      at: found.at ?? now,
    };
    if (kind === 'registration') registrations.set(id, found);
    return ceremonyOf(kind, credential, recorded, expectations);
  });
}

function rpIdOf(options: JsonObject | undefined): string | undefined {
  const id = isObject(options?.['rp']) ? options['rp']['id'] : options?.['rpId'];
  return typeof id === 'string' ? id : undefined;
}

function userVerificationOf(options: JsonObject | undefined): unknown {
  const selection = options?.['authenticatorSelection'];
  return isObject(selection) ? selection['userVerification'] : options?.['userVerification'];
}

function algorithmsOf(options: JsonObject | undefined): readonly number[] | undefined {
  const listed = options?.['pubKeyCredParams'];
  const ids = Array.isArray(listed)
    ? listed.flatMap((entry: unknown) => (isObject(entry) && typeof entry['alg'] === 'number' ? [entry['alg']] : []))
    : [];
  return ids.length === 0 ? undefined : ids;
}

function allowedOf(options: JsonObject | undefined): Uint8Array[] {
  const listed = options?.['allowCredentials'];
  return Array.isArray(listed) ? listed.flatMap((entry: unknown) => (isObject(entry) ? bytesOf(entry['id']) : [])) : [];
}

function bytesOf(value: unknown): Uint8Array[] {
  const bytes = typeof value === 'string' ? decodeBase64(value)?.bytes : undefined;
  return bytes === undefined ? [] : [bytes];
}

/** The credential as its registration in the same archive left it. A registration that cannot be read has a report of its own. */
function registeredBy(registration: HarCeremony | undefined): KnownCredential | undefined {
  const data = registration?.credential.attestedData;
  if (data?.ok !== true || data.value.attestedCredentialData === undefined) return undefined;
  const { attestedCredentialData, signCount, flags } = data.value;
  const [userHandle] = bytesOf(objectOf(registration?.options?.['user'])['id']);
  return {
    publicKey: attestedCredentialData.credentialPublicKey,
    signCount,
    backupEligible: flags.be,
    backupState: flags.bs,
    userHandle,
  };
}
