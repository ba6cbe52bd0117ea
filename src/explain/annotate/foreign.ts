import { isObject } from '../../kernel/json-value.js';
import { contents, type DerElement, DerSyntaxError, decodeDer, isUniversal, sequence, TAG } from '../../webauthn/der.js';

/** First byte of an uncompressed elliptic curve point (SEC 1 §2.3.3). */

const UNCOMPRESSED_POINT = 0x04;
const POINT_BYTES: readonly number[] = [65, 97, 133];

/** Recognises bytes of another format, and tells the user what to give instead; undefined for unknown bytes. */
export function foreignBytes(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    return 'This is compressed with gzip; decompress it first.';
  }
  if (bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 0x03) {
    return 'This is a zip archive; unpack it first.';
  }
  if (bytes[0] === UNCOMPRESSED_POINT && POINT_BYTES.includes(bytes.length)) {
    return 'This is a bare point of an elliptic curve (0x04, x, y); give the COSE_Key of the attested credential data, or the whole registration.';
  }
  const [first, second, third] = readElements(bytes);
  if (isUniversal(first, TAG.sequence) && isUniversal(second, TAG.bitString) && third === undefined) {
    return 'This is a SubjectPublicKeyInfo in DER (what getPublicKey() gives); give the COSE_Key of the attested credential data, or the whole registration.';
  }
  if (isUniversal(first, TAG.integer) && isUniversal(second, TAG.integer) && third === undefined) {
    return 'This is an ECDSA signature in DER, which says nothing by itself; give the whole authentication response.';
  }
  const isPrivateKey =
    isUniversal(first, TAG.integer) &&
    contents(first).length === 1 &&
    (isUniversal(second, TAG.sequence) || isUniversal(second, TAG.octetString));
  return isPrivateKey ? 'This is a private key in DER; keep it to yourself, and give the public key.' : undefined;
}

function readElements(bytes: Uint8Array): readonly DerElement[] {
  try {
    return sequence(decodeDer(bytes), 'a sequence');
  } catch (error) {
    if (error instanceof DerSyntaxError) return [];
    throw error;
  }
}

const TOKEN =
  'This is a signed token (JWT). Give a BLOB of the FIDO Metadata Service in addition to the input: --metadata FILE --metadata-root FILE.';

/** Recognises text of another format that does not encode bytes, and tells the user what to give instead. */
export function foreignText(text: string): string | undefined {
  return /^ey[\w-]+\.[\w-]+\.[\w-]*$/.test(text) ? TOKEN : undefined;
}

const START_BYTES = 65_536;

/** Recognises, by its first bytes, an input that is too large to be read as a whole. */
export function foreignStart(bytes: Uint8Array): string | undefined {
  const start = bytes.subarray(0, START_BYTES);
  return /^\s*ey[\w-]+\.[\w-]/.test(new TextDecoder('latin1').decode(start)) ? TOKEN : foreignBytes(start);
}

/** Recognises JSON that is not part of WebAuthn, and tells the user what to give instead. */
export function foreignJson(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    return 'This is a JSON array; give one object, or one object per line (.jsonl).';
  }
  if (!isObject(value)) {
    return undefined;
  }
  if (value['type'] === 'public-key' && isObject(value['response']) && Object.keys(value['response']).length === 0) {
    return 'The response of this credential is empty: JSON.stringify cannot write its bytes; send credential.toJSON().';
  }
  if ('clientDataJSON' in value) {
    return 'This is the response of a credential without the credential around it; give { id, rawId, type, response }.';
  }
  if (typeof value['kty'] === 'string') {
    return 'This is a JWK; give the COSE_Key of the attested credential data, or the whole registration.';
  }
  if (holdsPrivateKeys(value)) {
    return 'These are credentials with their private keys; read them with passkey credential convert --from (bitwarden, devtools for WebDriver, cxf …), and keep them to yourself.';
  }
  return 'attestationRootCertificates' in value || ('entries' in value && 'nextUpdate' in value)
    ? 'This is FIDO metadata without its signature; give the BLOB as downloaded: --metadata FILE --metadata-root FILE.'
    : undefined;
}

/** Recognises an export of Bitwarden, or credentials of a virtual authenticator. */
function holdsPrivateKeys(value: Readonly<Record<string, unknown>>): boolean {
  const { items, value: answered, credentials } = value;
  const list = [items, answered, credentials].find((each) => Array.isArray(each));
  const [first] = Array.isArray(list) ? list : [];
  return isObject(first) && ('privateKey' in first || ('login' in first && 'encrypted' in value));
}
