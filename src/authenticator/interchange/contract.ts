import type { CredentialSource } from '../credential-source.js';
import type { InterchangeRemark, Members } from './shape.js';

/** File formats of `importCredentials` and `exportCredentials`, each with a description. */
export const INTERCHANGE_SHAPES = {
  json: 'passkey’s own JSON with every member, as in the file of --credentials',
  playwright: 'the credentials of Playwright (context.credentials)',
  'playwright-state': 'the storage state of Playwright 1.65: storageState({ credentials: true })',
  devtools: 'the credentials of the Chrome DevTools protocol (WebAuthn.addCredential)',
  jwk: 'a set of private JSON Web Keys',
  pkcs8: 'only the private keys, as PKCS#8 in PEM',
  keepassxc: 'the passkey file of KeePassXC',
  bitwarden: 'the unencrypted JSON export of Bitwarden',
  cxf: 'the Credential Exchange Format of the FIDO Alliance',
} as const;
export type InterchangeShape = keyof typeof INTERCHANGE_SHAPES;

/** Values that the caller supplies for members that the document lacks. Members in the document take precedence. */
export type SuppliedMembers = Partial<
  Pick<
    Members,
    'id' | 'rpId' | 'rpName' | 'userHandle' | 'userName' | 'userDisplayName' | 'algorithm' | 'signCount' | 'backupEligible' | 'backupState'
  >
>;

export interface Imported {
  readonly credentials: readonly CredentialSource[];
  /** Remarks about members that the import assumed or left out. */
  readonly remarks: readonly InterchangeRemark[];
}

export interface ExportOptions {
  /** Current time in milliseconds since the epoch, for formats that contain the time; default: the system's clock. */
  readonly now?: number;
}

export interface Exported {
  /** Exported document as a string. It contains private keys. */
  readonly text: string;
  /** Number of credentials in the document. */
  readonly count: number;
  /** Remarks about members that the format cannot hold and the export left out. */
  readonly remarks: readonly InterchangeRemark[];
}
