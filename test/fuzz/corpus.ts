import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asObject, isObject, type JsonObject } from '../../src/kernel/json-value.js';
import { decodeAttestationObject } from '../../src/webauthn/attestation-object.js';
import { decodeAuthenticatorData } from '../../src/webauthn/authenticator-data.js';
import { decodeBase64, encodeBase64url } from '../../src/webauthn/base64url.js';
import { decodeClientData } from '../../src/webauthn/client-data.js';
import { pathsOf, valueAt } from './json-tree.js';

/** Real and software ceremonies of the repository, taken apart: what every generator starts from. */
export interface Corpus {
  /** JSON documents: fixtures, and recorded attestations. */
  readonly fixtures: readonly JsonObject[];
  readonly attestationObjects: readonly Uint8Array[];
  readonly authenticatorData: readonly Uint8Array[];
  readonly clientData: readonly Uint8Array[];
  readonly coseKeys: readonly Uint8Array[];
  readonly certificates: readonly Uint8Array[];
  /** Of TPM statements. */
  readonly pubAreas: readonly Uint8Array[];
  readonly certInfos: readonly Uint8Array[];
}

const ROOT = join(import.meta.dirname, '../..');
const FIXTURES = ['fixtures/recorded', 'fixtures/invalid'];
const REAL = 'test/relying-party/attestation/real';

let loaded: Corpus | undefined;

export function corpus(): Corpus {
  loaded ??= load();
  return loaded;
}

function load(): Corpus {
  const fixtures = FIXTURES.flatMap(documentsIn);
  const found = { attestationObject: [], clientDataJSON: [], authenticatorData: [], publicKey: [] } satisfies Record<string, Uint8Array[]>;
  const byName: Readonly<Record<string, Uint8Array[]>> = found;
  for (const document of [...fixtures, ...documentsIn(REAL)]) {
    for (const path of pathsOf(document)) {
      const text = valueAt(document, path);
      const bytes = typeof text === 'string' ? decodeBase64(text)?.bytes : undefined;
      if (bytes !== undefined) byName[String(path.at(-1))]?.push(bytes);
    }
  }
  const attestations = readable(found.attestationObject, decodeAttestationObject);
  const authenticatorData = [...attestations.map(({ value }) => value.authData), ...found.authenticatorData];
  const statements = attestations.map(({ value }) => value.attStmt);
  const bytesOf = (name: string) => statements.map((statement) => statement.get(name)).filter((value) => value instanceof Uint8Array);
  const keys = readable(authenticatorData, decodeAuthenticatorData).map(({ value }) => value.attestedCredentialData?.credentialPublicKey);
  return {
    fixtures,
    attestationObjects: attestations.map(({ bytes }) => bytes),
    authenticatorData,
    clientData: readable(found.clientDataJSON, decodeClientData).map(({ bytes }) => bytes),
    coseKeys: keys.filter((key) => key !== undefined),
    certificates: statements.flatMap((statement) => [statement.get('x5c')].flat()).filter((value) => value instanceof Uint8Array),
    pubAreas: bytesOf('pubArea'),
    certInfos: bytesOf('certInfo'),
  };
}

function documentsIn(folder: string): JsonObject[] {
  const files = readdirSync(join(ROOT, folder)).filter((file) => file.endsWith('.json'));
  return files.toSorted().map((file) => asObject(JSON.parse(readFileSync(join(ROOT, folder, file), 'utf8'))));
}

/** Those that decode: some of the fixtures are damaged on purpose. */
function readable<T>(list: readonly Uint8Array[], decode: (bytes: Uint8Array) => T): { readonly bytes: Uint8Array; readonly value: T }[] {
  return list.flatMap((bytes) => {
    try {
      return [{ bytes, value: decode(bytes) }];
    } catch {
      return [];
    }
  });
}

/** An HTTP archive with the options and the responses of some fixtures. */
export function archiveOf(fixtures: readonly JsonObject[]): JsonObject {
  const entries = fixtures.flatMap((fixture) => {
    const { options } = asObject(fixture['ceremony']);
    const headers = [{ name: 'Origin', value: String(fixture['origin']) }];
    const url = `${String(fixture['origin'])}/api`;
    const sent = { request: { url, method: 'POST', headers, postData: { text: JSON.stringify(fixture['response']) } } };
    const content = isObject(options) ? options : {};
    return [{ request: { url, method: 'POST', headers }, response: { content: { text: JSON.stringify(content) } } }, sent];
  });
  return { log: { version: '1.2', entries } };
}

/** base64url of the bytes inside a text, with `change` made to them; a text that is no base64 is changed itself. */
export function changedInside(text: string, change: (bytes: Uint8Array) => Uint8Array): string {
  const bytes = decodeBase64(text)?.bytes;
  return bytes === undefined || bytes.length < 8 ? Buffer.from(change(Buffer.from(text))).toString() : encodeBase64url(change(bytes));
}
