import { isObject } from '../../kernel/json-value.js';
import { type CredentialSourceJSON, credentialSourceFromJson, credentialSourceToJson } from '../credential-source.js';
import { listAt, objectsAt, parseJson } from './reading.js';
import { invalid, type MemberName, type ReadCredential, type Shape, writeMembers } from './shape.js';

const CREDENTIALS_FORMAT = 'passkey-credentials';
const CREDENTIALS_VERSION = 1;

/**
 * Document in the file of the option `--credentials`, with every member of each credential source. Its JSON Schema is
 * `passkey-cli/schemas/passkey-credentials-1`.
 */
export interface CredentialsDocument {
  readonly format: typeof CREDENTIALS_FORMAT;
  readonly version: typeof CREDENTIALS_VERSION;
  readonly credentials: readonly CredentialSourceJSON[];
}

const TITLE = 'credentials in the JSON of passkey';
const ALL: readonly MemberName[] = [
  'id',
  'rpId',
  'rpName',
  'userHandle',
  'userName',
  'userDisplayName',
  'algorithm',
  'discoverable',
  'signCount',
  'backupEligible',
  'backupState',
  'protection',
  'prf',
  'largeBlob',
  'credBlob',
  'hidden',
];

/** The format of `--credentials` files. Also reads a bare list of credentials, or one credential. */
export const plainJson: Shape = {
  title: TITLE,
  carries: ALL,
  read(text) {
    const value = parseJson(text, TITLE);
    if (isObject(value) && 'credentials' in value) {
      if (value.format !== CREDENTIALS_FORMAT) throw invalid(`Expected format to be "${CREDENTIALS_FORMAT}" in ${TITLE}.`);
      if (value.version !== CREDENTIALS_VERSION) {
        throw invalid(
          `Expected version ${CREDENTIALS_VERSION} of ${TITLE}; got another. If a newer version of passkey wrote the file, use that version.`,
        );
      }
      return listAt({ object: value, at: 'document' }, 'credentials').map(({ object, at }) => readSource(object, at));
    }
    return objectsAt(value, 'credential').map(({ object, at }) => readSource(object, at));
  },
  write: (sources) => {
    const rows = sources.map((source) => `    ${JSON.stringify(credentialSourceToJson(source))}`);
    const list = rows.length === 0 ? '[]' : `[\n${rows.join(',\n')}\n  ]`;
    return `{\n  "format": "${CREDENTIALS_FORMAT}",\n  "version": ${CREDENTIALS_VERSION},\n  "credentials": ${list}\n}`;
  },
};

function readSource(object: object, at: string): ReadCredential {
  try {
    const source = credentialSourceFromJson(object as CredentialSourceJSON);
    return { ...writeMembers(source), at, privateKey: source.privateKey };
  } catch (cause) {
    // Its messages name members and hold no secrets.
    throw invalid(`${at}: ${cause instanceof Error ? cause.message : 'it cannot be read.'}`, cause);
  }
}
