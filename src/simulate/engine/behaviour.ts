import { type JsonObject, objectOf } from '../../kernel/json-value.js';
import { formatAaguid } from '../../webauthn/aaguid.js';
import { decodeAttestationObject } from '../../webauthn/attestation-object.js';
import { type AuthenticatorData, decodeAuthenticatorData } from '../../webauthn/authenticator-data.js';
import { decodeBase64 } from '../../webauthn/base64url.js';
import { decodeClientData } from '../../webauthn/client-data.js';
import { readCoseAlgorithm } from '../../webauthn/cose-key.js';
import type { Mismatch } from './report.js';

/** What a response says about the authenticator and the page that made it, apart from keys, ids and signatures. */
export interface Behaviour {
  readonly userPresent: boolean;
  readonly userVerified: boolean;
  readonly backupEligible: boolean;
  readonly backupState: boolean;
  readonly signCount: number;
  /** Identifiers of the authenticator extension outputs. */
  readonly extensions: readonly string[];
  /** The output of credProtect (CTAP 2.1 §12.1), 1 to 3. */
  readonly protection: number | undefined;
  readonly attachment: string | undefined;
  readonly crossOrigin: boolean;
  readonly topOrigin: string | undefined;
  /** Registration. */
  readonly attested: AttestedBehaviour | undefined;
  /** Authentication. */
  readonly withUserHandle: boolean;
}

export interface AttestedBehaviour {
  readonly aaguid: string;
  /** COSEAlgorithmIdentifier. */
  readonly algorithm: number;
  readonly credentialIdLength: number;
  readonly transports: readonly string[];
  readonly format: string;
  /** Whether the statement has certificates of its own. */
  readonly certified: boolean;
}

/** @throws PasskeyError when the response is malformed. */
export function behaviourOf(response: JsonObject): Behaviour {
  const inner = objectOf(response.response);
  const bytes = (member: string) => decodeBase64(String(inner[member] ?? ''))?.bytes ?? new Uint8Array();
  const attestation = inner.attestationObject === undefined ? undefined : decodeAttestationObject(bytes('attestationObject'));
  const data = decodeAuthenticatorData(attestation?.authData ?? bytes('authenticatorData'));
  const { crossOrigin = false, topOrigin } = decodeClientData(bytes('clientDataJSON'));
  const { up, uv, be, bs } = data.flags;
  const protection = data.extensions?.get('credProtect');
  const attested = attestation && attestedBehaviour(data, attestation.fmt, attestation.attStmt.has('x5c'), inner.transports);
  return {
    userPresent: up,
    userVerified: uv,
    backupEligible: be,
    backupState: bs,
    signCount: data.signCount,
    extensions: [...(data.extensions?.keys() ?? [])].map(String).toSorted(),
    protection: typeof protection === 'number' ? protection : undefined,
    attachment: typeof response.authenticatorAttachment === 'string' ? response.authenticatorAttachment : undefined,
    crossOrigin,
    topOrigin,
    attested,
    withUserHandle: typeof inner.userHandle === 'string',
  };
}

function attestedBehaviour(
  { attestedCredentialData: data }: AuthenticatorData,
  format: string,
  certified: boolean,
  transports: unknown,
): AttestedBehaviour | undefined {
  if (data === undefined) return undefined;
  return {
    aaguid: formatAaguid(data.aaguid),
    algorithm: readCoseAlgorithm(data.credentialPublicKey),
    credentialIdLength: data.credentialId.length,
    transports: Array.isArray(transports) ? transports.map(String) : [],
    format,
    certified,
  };
}

/**
 * Compares everything that a relying party can see of two responses, except the key.
 *
 * @param sameAttestation whether both were asked for the same attestation; otherwise the formats may differ.
 */
export function compareBehaviour(recorded: Behaviour, rebound: Behaviour, sameAttestation: boolean): Mismatch[] {
  const { format, certified: _, credentialIdLength: __, ...attested } = recorded.attested ?? {};
  const wanted = {
    ...recorded,
    ...attested,
    attested: undefined,
    // Authenticators may omit it: it must come again only where it was recorded.
    withUserHandle: recorded.withUserHandle || undefined,
    ...(sameAttestation && { format }),
  };
  const received = objectOf({ ...rebound, ...rebound.attested });
  return Object.entries(wanted).flatMap(([member, value]) => {
    const [expected, got] = [JSON.stringify(value), JSON.stringify(received[member])];
    // What the recording does not say is not compared.
    return value === undefined || expected === got ? [] : [{ at: `behaviour: ${member}`, expected, received: got ?? 'nothing' }];
  });
}
