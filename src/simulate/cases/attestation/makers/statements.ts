import {
  IN_TRUSTED_ENVIRONMENT,
  type KeyDescriptionToWrite,
  keyDescriptionExtension,
} from '../../../../authenticator/attestation/android-key.js';
import { SAFETYNET_HOST, safetyNetPayload, safetyNetStatement } from '../../../../authenticator/attestation/android-safetynet.js';
import { appleExtension } from '../../../../authenticator/attestation/apple.js';
import { type AttestationKey, RS256 } from '../../../../authenticator/attestation/attestation-key.js';
import { u2fStatement } from '../../../../authenticator/attestation/fido-u2f.js';
import { type AttestationInput, attestationNonce, attToBeSigned } from '../../../../authenticator/attestation/format.js';
import { writeJws } from '../../../../authenticator/attestation/jws.js';
import { packedExtensions, packedSelfAttestation, packedStatement } from '../../../../authenticator/attestation/packed.js';
import { aikExtensions, CREDENTIAL_KEY, certifyInfo, tpmStatement } from '../../../../authenticator/attestation/tpm.js';
import { type AttestToWrite, writeAttest, writePublicArea } from '../../../../authenticator/attestation/tpm-writer.js';
import { concatBytes } from '../../../../kernel/bytes.js';
import type { StatementToWrite } from '../../../../webauthn/attestation-object.js';
import type { CborMap } from '../../../../webauthn/cbor.js';
import { named, WRITE_EXTENSION } from '../../../../webauthn/certificate-writer.js';
import type { CoseKey } from '../../../../webauthn/cose-key.js';
import { encodeSubjectPublicKeyInfo } from '../../../../webauthn/subject-public-key-info.js';
import { TPM_ALG } from '../../../../webauthn/tpm.js';
import type { ByteEdit } from '../../../engine/edits.js';
import type { StatementMaker } from '../row.js';
import { AUTHORITY, certifiedKey, finishStatement, makeKey, type StatementChange } from './certified.js';

/** Byte offsets in a TPMT_PUBLIC (TPM 2.0 Part 2 §12.2.4). Its fields are type, nameAlg, attributes, policy, symmetric, scheme and key. */
const OFFSETS = {
  nameAlg: 2,
  scheme: 2 + 2 + 4 + 2 + CREDENTIAL_KEY.authPolicy.length + 2,
  /** Offset of the exponent of an RSA key, which follows symmetric, scheme and keyBits. Valid only if the key has no scheme. */
  exponent: 2 + 2 + 4 + 2 + CREDENTIAL_KEY.authPolicy.length + 2 + 2 + 2,
} as const;

const uint16 = (value: number) => Uint8Array.of(value >> 8, value & 0xff);

function replace(bytes: Uint8Array, at: number, length: number, by: Uint8Array): Uint8Array {
  return concatBytes(bytes.subarray(0, at), by, bytes.subarray(at + length));
}

/**
 * Sets the hash algorithm of the TPM Name.
 *
 * @param algorithm a TPM_ALG_ID
 */
export function withNameAlgorithm(algorithm: number): ByteEdit {
  return (pubArea) => replace(pubArea, OFFSETS.nameAlg, 2, uint16(algorithm));
}

/**
 * Adds a signature scheme with SHA-256 to a TPMT_PUBLIC without one.
 *
 * @param scheme a TPM_ALG_ID
 */
export function withScheme(scheme: number): ByteEdit {
  return (pubArea) => replace(pubArea, OFFSETS.scheme, 2, concatBytes(uint16(scheme), uint16(TPM_ALG.sha256)));
}

/** Sets the exponent of an RSA key in a TPMT_PUBLIC. */
export function withExponent(exponent: number): ByteEdit {
  return (pubArea) => replace(pubArea, OFFSETS.exponent, 4, concatBytes(uint16(exponent >> 16), uint16(exponent & 0xffff)));
}

const same = <T>(value: T): T => value;

/** Makes `packed` statements with certificates (§8.2). */
export function packed(change: StatementChange = {}): StatementMaker {
  return async (input) => {
    const key = await makeKey('packed', input, change);
    const extensions = packedExtensions({ aaguid: input.aaguid });
    const signer = certifiedKey('packed', { key, input, subject: input.aaguid, extensions }, change);
    return finishStatement('packed', packedStatement(signer, change.about?.(input) ?? input), input, change);
  };
}

/** Makes `packed` self attestation statements, signed with the credential private key (§8.2). */
export function selfAttested({ about = same, signs = same, members }: StatementChange = {}): StatementMaker {
  return async (input) => {
    const subject = about(input);
    const statement = await packedSelfAttestation.statement({ ...subject, sign: (data) => subject.sign(signs(data)) });
    return finishStatement('packed', requireMap(statement), input, { ...(members && { members }) });
  };
}

function requireMap(statement: unknown): CborMap {
  if (statement instanceof Map) return statement;
  throw new TypeError('Expected one statement; got several.');
}

interface TpmChange extends StatementChange {
  /** Chooses the key that the TPM certifies; default: the credential key. */
  readonly holds?: (input: AttestationInput) => CoseKey;
  /** Changes pubArea before its Name is computed. */
  readonly pubArea?: ByteEdit;
  /** Changes certInfo as a structure, before it is encoded and signed. The member `certInfo` changes the encoded bytes instead. */
  readonly attest?: (attest: AttestToWrite, input: AttestationInput) => AttestToWrite;
  readonly certInfo?: ByteEdit;
}

/** A TPM manufacturer from the TCG registry. The cases use it because some servers do not know the FIDO Alliance's test manufacturer. */
const TPM_VENDOR = { manufacturer: 'id:414D4400' };

/** Makes `tpm` statements (§8.3). */
export function tpm(change: TpmChange = {}): StatementMaker {
  const { about = same, holds = ({ credentialPublicKey }) => credentialPublicKey, pubArea = same, attest = same, certInfo = same } = change;
  return async (input) => {
    const key = await makeKey('tpm', input, change);
    const aik = certifiedKey('tpm', { key, input, subject: input.aaguid, name: [], extensions: aikExtensions(TPM_VENDOR) }, change);
    const area = pubArea(writePublicArea(holds(input), CREDENTIAL_KEY));
    const info = certInfo(writeAttest(attest(certifyInfo(about(input), key, area), input)));
    return finishStatement('tpm', tpmStatement(aik, { pubArea: area, certInfo: info }), input, change);
  };
}

/**
 * Wraps the credential public key as the key to certify. Its `sign` functions throw, because the credential signs through
 * `AttestationInput.sign`.
 */
function toAttestationKey({ credentialPublicKey, algorithm }: AttestationInput): AttestationKey {
  const cannotSign = () => {
    throw new TypeError('The credential key signs through the authenticator.');
  };
  return {
    algorithm,
    publicKey: encodeSubjectPublicKeyInfo(credentialPublicKey),
    certificateAlgorithm: new Uint8Array(),
    sign: cannotSign,
    signJws: cannotSign,
  };
}

interface AndroidKeyChange extends StatementChange {
  readonly description?: Partial<KeyDescriptionToWrite>;
  /** Chooses the attestationChallenge of the key description; default: the client data hash. */
  readonly challenge?: (input: AttestationInput) => Uint8Array;
}

/** Makes `android-key` statements (§8.4). */
export function androidKey(change: AndroidKeyChange = {}): StatementMaker {
  const { about = same, description, challenge = ({ clientDataHash }) => clientDataHash, signs = same } = change;
  return async (input) => {
    const certified = (await change.key?.(input)) ?? toAttestationKey(input);
    const extension = keyDescriptionExtension({ ...IN_TRUSTED_ENVIRONMENT, ...description }, challenge(input));
    const leaf = { key: certified, input, subject: input.credentialId, extensions: [extension] };
    const { signs: _, signer, ...rest } = change;
    const { x5c } = certifiedKey('android-key', leaf, rest);
    const data = signs(attToBeSigned(about(input)));
    const key = signer?.(input, certified) ?? (change.key === undefined ? undefined : certified);
    const attStmt: CborMap = new Map();
    attStmt.set('alg', certified.algorithm);
    attStmt.set('sig', key === undefined ? await input.sign(data) : key.sign(data));
    attStmt.set('x5c', [...x5c]);
    return finishStatement('android-key', attStmt, input, change);
  };
}

interface SafetyNetChange extends StatementChange {
  readonly payload?: (payload: Readonly<Record<string, unknown>>, input: AttestationInput) => Readonly<Record<string, unknown>>;
  /** Members to add to the JWS header. They override the members that the signer writes. */
  readonly header?: object;
  /** Changes the finished JWS, in compact serialization. */
  readonly jws?: (jws: string) => string;
}

/** Makes `android-safetynet` statements (§8.5). */
export function safetyNet(change: SafetyNetChange = {}): StatementMaker {
  const { about = same, payload = same, header, jws = same } = change;
  return async (input) => {
    const subject = new Uint8Array();
    const key = (await change.key?.(input)) ?? (await AUTHORITY.rsaKey('android-safetynet', subject, RS256));
    const leaf = { key, input, subject, name: [named('CN', SAFETYNET_HOST)], extensions: [WRITE_EXTENSION.dnsName(SAFETYNET_HOST)] };
    const signer = certifiedKey('android-safetynet', leaf, change);
    const text = jws(writeJws(signer, payload(safetyNetPayload(about(input)), input), header));
    return finishStatement('android-safetynet', safetyNetStatement(text), input, change);
  };
}

interface AppleChange extends StatementChange {
  readonly nonce?: ByteEdit;
}

/** Makes `apple` statements (§8.8). */
export function apple(change: AppleChange = {}): StatementMaker {
  const { about = same, nonce = same } = change;
  return async (input) => {
    const key = (await change.key?.(input)) ?? toAttestationKey(input);
    const extensions = [appleExtension(nonce(attestationNonce(about(input))))];
    const { x5c } = certifiedKey('apple', { key, input, subject: input.credentialId, extensions }, change);
    return finishStatement('apple', new Map([['x5c', [...x5c]]]), input, change);
  };
}

/** Makes `fido-u2f` statements (§8.6). */
export function u2f(change: StatementChange = {}): StatementMaker {
  return async (input) => {
    const key = await makeKey('fido-u2f', input, change);
    const signer = certifiedKey('fido-u2f', { key, input, subject: input.aaguid }, change);
    return finishStatement('fido-u2f', u2fStatement(signer, change.about?.(input) ?? input), input, change);
  };
}

/** Makes `compound` statements that contain one sub-statement from each given maker (§8.9). */
export function compound(...makers: readonly StatementMaker[]): StatementMaker {
  return async (input): Promise<StatementToWrite> => ({
    fmt: 'compound',
    attStmt: new Map(),
    statements: await Promise.all(makers.map((make) => make(input))),
  });
}

/** Labels a statement with the name of another format. */
export function renamed(fmt: string, make: StatementMaker): StatementMaker {
  return async (input) => ({ ...(await make(input)), fmt });
}
