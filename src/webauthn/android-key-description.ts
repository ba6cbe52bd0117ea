import { ATTESTATION_EXTENSION, decodeExtension } from './attestation-extensions.js';
import type { Certificate } from './certificate.js';
import { children, type DerElement, DerSyntaxError, expectUniversal, inner, octets, sequence, showTag, TAG } from './der.js';
import { smallInteger } from './der-values.js';

/**
 * Android's security levels, weakest first. The level names the part of the device that enforces an authorization list (Android key
 * attestation, SecurityLevel).
 */
export const SECURITY_LEVELS = ['software', 'trusted environment', 'strongbox'] as const;

/** Names of the KeyPurpose numbers of Android's key store, by index. */
export const KEY_PURPOSES = ['encrypt', 'decrypt', 'sign', 'verify', 'derive key', 'wrap key', 'agree key', 'attest key'] as const;

/** Names of the KeyOrigin numbers of Android's key store, by index. */
export const KEY_ORIGINS = ['generated', 'derived', 'imported', 'unknown', 'securely imported'] as const;

/** The members of an AuthorizationList that WebAuthn L3 §8.4 uses. */
export interface AuthorizationList {
  /** KeyPurpose numbers: the operations that the key may perform. Undefined if the list has no purposes. */
  readonly purpose: readonly number[] | undefined;
  /** KeyOrigin number of the key, an index into `KEY_ORIGINS`; undefined if the list has no origin. */
  readonly origin: number | undefined;
  readonly allApplications: boolean;
  /** Tag numbers of all members of the authorization list. */
  readonly tags: readonly number[];
}

/** KeyDescription, the extension 1.3.6.1.4.1.11129.2.1.17 of Android's key attestation certificates. */
export interface KeyDescription {
  readonly attestationVersion: number;
  /** Index into `SECURITY_LEVELS`. */
  readonly attestationSecurityLevel: number;
  readonly keyMintVersion: number;
  readonly keyMintSecurityLevel: number;
  readonly attestationChallenge: Uint8Array;
  readonly uniqueId: Uint8Array;
  readonly softwareEnforced: AuthorizationList;
  /** Authorization list that the trusted environment enforces. Newer schemas call it `hardwareEnforced`. */
  readonly teeEnforced: AuthorizationList;
}

/** Tag numbers of the members of an AuthorizationList. */
export const AUTHORIZATION_TAG = { purpose: 1, allApplications: 600, origin: 702 } as const;

/**
 * Reads the key description of an Android key attestation certificate; undefined if the certificate has no such extension.
 *
 * @throws PasskeyError `attestation_malformed` naming the wrong byte in the extension's value.
 */
export function keyDescription(certificate: Certificate): KeyDescription | undefined {
  return decodeExtension(certificate, ATTESTATION_EXTENSION.androidKeyDescription, 'Android key description', readKeyDescription)?.value;
}

function readKeyDescription(value: DerElement): KeyDescription {
  const fields = sequence(value, 'a key description');
  if (fields.length > 8) throw new DerSyntaxError(value.contentStart, `expected 8 fields of a key description, got ${fields.length}`);
  return {
    attestationVersion: smallInteger(fields[0], 'attestationVersion', value),
    attestationSecurityLevel: smallInteger(fields[1], 'attestationSecurityLevel', value),
    keyMintVersion: smallInteger(fields[2], 'keyMintVersion', value),
    keyMintSecurityLevel: smallInteger(fields[3], 'keyMintSecurityLevel', value),
    attestationChallenge: octets(fields[4], 'attestationChallenge', value),
    uniqueId: octets(fields[5], 'uniqueId', value),
    softwareEnforced: readAuthorizationList(fields[6], 'softwareEnforced', value),
    teeEnforced: readAuthorizationList(fields[7], 'teeEnforced', value),
  };
}

function readAuthorizationList(element: DerElement | undefined, name: string, parent: DerElement): AuthorizationList {
  const members = sequence(element, name, parent).map((member) => {
    if (member.class !== 'context') throw new DerSyntaxError(member.start, `expected a context tag of ${name}, got ${showTag(member)}`);
    return { tag: member.tag, start: member.start, value: inner(member, `tag ${member.tag} of ${name}`) };
  });
  const twice = members.find(({ tag }, index) => members.findIndex((member) => member.tag === tag) < index);
  if (twice !== undefined) throw new DerSyntaxError(twice.start, `expected tag ${twice.tag} of ${name} only once`);
  const find = (tag: number) => members.find((member) => member.tag === tag)?.value;
  const purpose = find(AUTHORIZATION_TAG.purpose);
  const origin = find(AUTHORIZATION_TAG.origin);
  return {
    purpose: purpose && children(expectUniversal(purpose, TAG.set, `purpose of ${name}`)).map((item) => smallInteger(item, 'a purpose')),
    origin: origin && smallInteger(origin, `origin of ${name}`),
    allApplications: find(AUTHORIZATION_TAG.allApplications) !== undefined,
    tags: members.map(({ tag }) => tag),
  };
}
