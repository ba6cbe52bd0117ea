import { readdirSync, readFileSync } from 'node:fs';
import type { AttestationInput } from '../../../src/relying-party/attestation/verify-attestation.js';
import { decodeAttestationObject } from '../../../src/webauthn/attestation-object.js';
import { type AttestedCredentialData, decodeAuthenticatorData } from '../../../src/webauthn/authenticator-data.js';
import { decodeBase64url } from '../../../src/webauthn/base64url.js';
import { sha256 } from './statements.js';

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
