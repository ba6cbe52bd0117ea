import { readdirSync, readFileSync } from 'node:fs';
import { readCredential } from '../../../src/explain/annotate/read-credential.js';
import type { KnownCeremony } from '../../../src/explain/report/known-ceremony.js';
import { type CeremonyReport, reportRegistration } from '../../../src/explain/report/report.js';
import { encodeUtf8, equalBytes } from '../../../src/kernel/bytes.js';
import { ALGORITHMS } from '../../../src/webauthn/algorithms.js';
import { decodeAttestationObject } from '../../../src/webauthn/attestation-object.js';
import { type AttestedCredentialData, decodeAuthenticatorData } from '../../../src/webauthn/authenticator-data.js';
import { decodeBase64url, encodeBase64url } from '../../../src/webauthn/base64url.js';
import { decodeClientData } from '../../../src/webauthn/client-data.js';
import { type AttestationInput, sha256 } from './statements.js';

/** A registration recorded from a real device: `real/*.json` says where each comes from. */
export interface Recording {
  readonly file: string;
  readonly description: string;
  readonly provenance: { readonly source: string; readonly entry: string; readonly licence: string };
  /** ISO 8601: when it was made, as far as that is known; else a time at which its certificates were in use. */
  readonly at: string;
  /** By the text of the standard. */
  readonly expected: {
    readonly verdict: string;
    readonly attestationType: string;
    readonly certificates: number;
    readonly fails: readonly string[];
    readonly warns: readonly string[];
  };
  /** base64url. */
  readonly attestationObject: string;
  readonly clientDataJSON: string;
  /** With the same credential, where one was recorded as well. */
  readonly authentication?: RecordedAuthentication;
}

/** base64url. */
export interface RecordedAuthentication {
  readonly clientDataJSON: string;
  readonly authenticatorData: string;
  readonly signature: string;
  readonly userHandle?: string;
}

const folder = new URL('real/', import.meta.url);

export const RECORDINGS: readonly Recording[] = readdirSync(folder).map((file) => ({
  file,
  ...(JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Omit<Recording, 'file'>),
}));

/** The statement as of the time of its recording. */
export function recordedStatement({ attestationObject, clientDataJSON, at }: Recording): AttestationInput {
  return {
    attestationObject: decodeAttestationObject(decodeBase64url(attestationObject)),
    clientDataHash: sha256(decodeBase64url(clientDataJSON)),
    at: Date.parse(at),
  };
}

export function recordedCredential({ attestationObject }: AttestationInput): AttestedCredentialData {
  const { attestedCredentialData } = decodeAuthenticatorData(attestationObject.authData);
  if (attestedCredentialData === undefined) {
    throw new Error('expected attested credential data');
  }
  return attestedCredentialData;
}

/** What the relying party of the recording knew: read off its own client data, the RP ID found by its hash. */
export function recordedKnowledge(clientDataJSON: string, authData: Uint8Array, at: string): KnownCeremony {
  const { challenge, origin } = decodeClientData(decodeBase64url(clientDataJSON));
  const { rpIdHash } = decodeAuthenticatorData(authData);
  const labels = new URL(origin).hostname.split('.');
  return {
    rpId: labels.map((_, index) => labels.slice(index).join('.')).find((name) => equalBytes(sha256(encodeUtf8(name)), rpIdHash)),
    origins: [origin],
    challenge: { status: 'open', challenge: decodeBase64url(challenge) },
    topOrigins: [],
    userVerification: 'preferred',
    options: undefined,
    at: Date.parse(at),
  };
}

export const recordedEnvelope = (input: AttestationInput) => {
  const id = encodeBase64url(recordedCredential(input).credentialId);
  return { id, rawId: id, type: 'public-key', clientExtensionResults: {} };
};

/** Report on a recording as of its time, or on one with another attestation object. */
export function reportRecorded(recording: Recording, attestationObject = recording.attestationObject): Promise<CeremonyReport> {
  const input = recordedStatement(recording);
  const { clientDataJSON, at } = recording;
  return reportRegistration(readCredential({ ...recordedEnvelope(input), response: { clientDataJSON, attestationObject } }), {
    ...recordedKnowledge(clientDataJSON, input.attestationObject.authData, at),
    algorithms: ALGORITHMS.map(({ id }) => id),
    attestationRoots: [],
    credentialKnown: false,
  });
}
