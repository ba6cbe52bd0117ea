import { PasskeyError } from '../../errors.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import type { SigningAlgorithm } from '../algorithms.js';
import { SIGNING_ALGORITHMS } from '../algorithms.js';
import type { CredentialSource } from '../credential-source.js';
import { decodePkcs8 } from '../pkcs8.js';

type Optional = 'protection' | 'prf' | 'largeBlob' | 'credBlob' | 'hidden';

/** The members of a credential source, flat. Every shape has the private key. */
export interface Members extends Omit<CredentialSource, 'user' | 'privateKey' | Optional> {
  readonly userHandle: Uint8Array;
  readonly userName: string;
  readonly userDisplayName: string;
  readonly protection: CredentialSource['protection'];
  readonly prf: CredentialSource['prf'];
  readonly largeBlob: Uint8Array | undefined;
  readonly credBlob: Uint8Array | undefined;
  readonly hidden: boolean | undefined;
}
export type MemberName = keyof Members;

/** One credential as a document has it. `at` is its place in the document, for messages. */
export interface ReadCredential extends Partial<Members> {
  readonly at: string;
  /** PKCS#8 DER. */
  readonly privateKey: Uint8Array;
}

/** Something that a shape could not carry, or that had to be assumed. Never holds a secret. */
export interface InterchangeRemark {
  /** base64url; of a credential that has one. */
  readonly credentialId: string | undefined;
  /** Member of the credential source, such as `signCount`, or of the document. */
  readonly member: string;
  readonly message: string;
}

interface WriteContext {
  /** Milliseconds since the epoch, for shapes that tell the time. */
  readonly now: number;
  remark(remark: InterchangeRemark): void;
}

/** A way to write credentials down, ours or another program's. */
export interface Shape {
  /** Completes "as …". */
  readonly title: string;
  /** The members that it has room for. */
  readonly carries: readonly MemberName[];
  /** Values that its own program assumes for members that it has no room for. */
  readonly assumes?: Partial<Pick<Members, 'backupEligible' | 'backupState'>>;
  /** Kinds of keys (names of curves, `RSA` …) that its own program takes; default: all. */
  readonly kinds?: readonly string[];
  /** Whether a document holds one credential only. */
  readonly single?: boolean;
  /** The reason why a credential cannot be written; it is left out, with a remark. */
  excludes?(source: CredentialSource): string | undefined;
  /** @throws PasskeyError `validation_failed` naming the member. */
  read(text: string, remark: (remark: InterchangeRemark) => void): readonly ReadCredential[];
  write(sources: readonly CredentialSource[], context: WriteContext): string | Promise<string>;
}

export function writeMembers({ id, rpId, rpName, user, ...source }: CredentialSource): Members {
  const { algorithm, discoverable, signCount, backupEligible, backupState, protection, prf, largeBlob, credBlob, hidden } = source;
  const account = { userHandle: user.id, userName: user.name, userDisplayName: user.displayName };
  const state = { algorithm, discoverable, signCount, backupEligible, backupState };
  return { id, rpId, rpName, ...account, ...state, protection, prf, largeBlob, credBlob, hidden };
}

/** Fills in members that an import does not have. */
export function assumedMembers(shape: Shape, known: { readonly rpId: string; readonly privateKey: Uint8Array }): Partial<Members> {
  return {
    rpName: known.rpId,
    userName: '',
    userDisplayName: '',
    algorithm: usualAlgorithm(readKeyKind(known.privateKey))?.id ?? 0,
    discoverable: true,
    signCount: 0,
    backupEligible: shape.assumes?.backupEligible ?? false,
    backupState: shape.assumes?.backupState ?? false,
  };
}

/** The algorithm that a key of this kind is most often used with. */
function usualAlgorithm(kind: string): SigningAlgorithm | undefined {
  return SIGNING_ALGORITHMS.find(({ key }) => key.name === kind && !(key.type === 'rsa' && key.pss));
}

/** Name of its curve, `RSA`, or name of its ML-DSA parameters; else an object identifier. @throws DerSyntaxError */
export const readKeyKind = (privateKey: Uint8Array): string => decodePkcs8(privateKey).kind;

/** A credential in a message: enough of its ID to find it. */
export function naming({ id, rpId }: { readonly id?: Uint8Array | undefined; readonly rpId?: string | undefined }): string {
  const text = id === undefined ? 'without an ID' : encodeBase64url(id);
  return `credential ${text.length > 16 ? `${text.slice(0, 16)}…` : text}${rpId === undefined ? '' : ` of ${rpId}`}`;
}

export const invalid = (message: string, cause?: unknown): PasskeyError =>
  new PasskeyError('validation_failed', message, cause === undefined ? {} : { cause });
