import { PasskeyError } from '../../errors.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../algorithms.js';
import type { CredentialSource } from '../credential-source.js';
import { decodePkcs8 } from '../pkcs8.js';

type Optional = 'protection' | 'prf' | 'largeBlob' | 'credBlob' | 'hidden';

/** The members of a credential source in one flat object. The private key is not among them, because every format contains it. */
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

/** One credential read from a document. `at` is its position in the document, for error messages. */
export interface ReadCredential extends Partial<Members> {
  readonly at: string;
  /** Private key as PKCS#8 in DER. */
  readonly privateKey: Uint8Array;
}

/** Remark about a member that the format could not hold, or whose value had to be assumed. Never contains a secret. */
export interface InterchangeRemark {
  /** Credential ID as base64url; undefined if the credential has no ID. */
  readonly credentialId: string | undefined;
  /** Name of the member, such as `signCount`, in the credential source or the document. */
  readonly member: string;
  readonly message: string;
}

interface WriteContext {
  /** Current time in milliseconds since the epoch, for formats that contain the time. */
  readonly now: number;
  remark(remark: InterchangeRemark): void;
}

/** A file format for credentials, defined by this project or by another program. */
export interface Shape {
  /** Name of the format, used in messages after "as". */
  readonly title: string;
  /** Members of a credential source that the format can hold. */
  readonly carries: readonly MemberName[];
  /** Values that the other program assumes for members that the format cannot hold. */
  readonly assumes?: Partial<Pick<Members, 'backupEligible' | 'backupState'>>;
  /** Kinds of keys (curve names, `RSA` …) that the other program accepts; default: all. */
  readonly kinds?: readonly string[];
  /** True if a document holds only one credential. */
  readonly single?: boolean;
  /**
   * Finds the reason why the format cannot hold a credential; undefined if it can. The export leaves out such a credential, with a remark.
   */
  excludes?(source: CredentialSource): string | undefined;
  /** Reads the credentials of a document. @throws PasskeyError `validation_failed` naming the member that is missing or wrong. */
  read(text: string, remark: (remark: InterchangeRemark) => void): readonly ReadCredential[];
  write(sources: readonly CredentialSource[], context: WriteContext): string | Promise<string>;
}

export function writeMembers({ id, rpId, rpName, user, ...source }: CredentialSource): Members {
  const { algorithm, discoverable, signCount, backupEligible, backupState, protection, prf, largeBlob, credBlob, hidden } = source;
  const account = { userHandle: user.id, userName: user.name, userDisplayName: user.displayName };
  const state = { algorithm, discoverable, signCount, backupEligible, backupState };
  return { id, rpId, rpName, ...account, ...state, protection, prf, largeBlob, credBlob, hidden };
}

/** Chooses values for the members that an imported document lacks. */
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

/** Finds the algorithm that is used most often with this kind of key. */
function usualAlgorithm(kind: string): SigningAlgorithm | undefined {
  return SIGNING_ALGORITHMS.find(({ key }) => key.name === kind && !(key.type === 'rsa' && key.pss));
}

/**
 * Reads the kind of a private key: its curve name, `RSA`, or its ML-DSA parameter set. For any other key, the object identifier.
 *
 * @throws DerSyntaxError if the bytes are not PKCS#8.
 */
export const readKeyKind = (privateKey: Uint8Array): string => decodePkcs8(privateKey).kind;

/** Describes a credential for a message, with enough of its ID to find the credential. */
export function naming({ id, rpId }: { readonly id?: Uint8Array | undefined; readonly rpId?: string | undefined }): string {
  const text = id === undefined ? 'without an ID' : encodeBase64url(id);
  return `credential ${text.length > 16 ? `${text.slice(0, 16)}…` : text}${rpId === undefined ? '' : ` of ${rpId}`}`;
}

export const invalid = (message: string, cause?: unknown): PasskeyError =>
  new PasskeyError('validation_failed', message, cause === undefined ? {} : { cause });
