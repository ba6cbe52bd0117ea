import { decodeAttestationObject } from '../webauthn/attestation-object.js';
import { decodeAuthenticatorData } from '../webauthn/authenticator-data.js';
import { decodeBase64 } from '../webauthn/base64url.js';
import { isObject, type JsonObject } from '../webauthn/json-value.js';
import { parseUrl } from '../webauthn/rp-id.js';
import { type HarCeremony, harCeremonies, harFindings } from './annotate/har.js';
import { type CeremonyInput, challengeState, credentialOfFlags } from './ceremonies.js';
import type { Expectations } from './expectations.js';
import { metadataRoots } from './metadata.js';
import type { KnownAuthentication } from './report/known-ceremony.js';

/** The ceremonies of an HTTP archive: options, page and, for logins, registrations recorded before them are what each is held against. */
export function ceremoniesOfHar(har: JsonObject, settings: Expectations, now: number): CeremonyInput[] {
  /** By the ID of the credential, as it was written. */
  const registrations = new Map<unknown, HarCeremony>();
  return harCeremonies(harFindings(har)).map((ceremony) => {
    const { kind, response } = ceremony;
    const input = ceremonyOf(ceremony, registrations.get(response['id']), settings, now);
    if (kind === 'registration') registrations.set(response['id'], ceremony);
    return input;
  });
}

/** @param before the registration of the same credential that came last. */
function ceremonyOf(ceremony: HarCeremony, before: HarCeremony | undefined, settings: Expectations, now: number): CeremonyInput {
  const { kind, response, options, url } = ceremony;
  const origin = ceremony.origin ?? parseUrl(url)?.origin;
  const common = {
    rpId: settings.rpId ?? rpIdOf(options) ?? (origin === undefined ? undefined : parseUrl(origin)?.hostname),
    origins: settings.origins ?? (origin === undefined ? undefined : [origin]),
    challenge: challengeState(response, settings.challenges ?? bytesOf(options?.['challenge'])),
    topOrigins: settings.topOrigins ?? [],
    userVerification: settings.requireUv || userVerificationOf(options) === 'required' ? ('required' as const) : ('preferred' as const),
    options,
    at: settings.at ?? ceremony.at ?? now,
  };
  const base = { name: `${kind}, ${url}`, response, expected: undefined };
  if (kind === 'registration') {
    return {
      ...base,
      kind,
      known: {
        ...common,
        algorithms: algorithmsOf(options),
        attestationRoots: [...(settings.roots ?? []), ...metadataRoots(settings.metadata, response)],
        credentialKnown: undefined,
      },
    };
  }
  const given = credentialOfFlags(settings);
  const credential = settings.publicKey === undefined ? (registeredBefore(before, settings) ?? given) : given;
  return { ...base, kind, known: { ...common, credential, allowCredentials: allowedOf(options) } };
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

/** The credential as its registration in the same archive left it. */
function registeredBefore(registration: HarCeremony | undefined, { signCount }: Expectations): KnownAuthentication['credential'] {
  const members = isObject(registration?.response['response']) ? registration.response['response'] : {};
  const [object] = bytesOf(members['attestationObject']);
  try {
    const data = object && decodeAuthenticatorData(decodeAttestationObject(object).authData);
    const user = registration?.options?.['user'];
    return data?.attestedCredentialData === undefined
      ? undefined
      : {
          publicKey: data.attestedCredentialData.credentialPublicKey,
          signCount: signCount ?? data.signCount,
          backupEligible: data.flags.be,
          backupState: data.flags.bs,
          userHandle: isObject(user) ? bytesOf(user['id'])[0] : undefined,
        };
  } catch {
    // That registration has a report of its own, which says what is wrong with it.
    return undefined;
  }
}
