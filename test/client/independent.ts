import { createPublicKey, verify, webcrypto } from 'node:crypto';
import { ml_dsa44, ml_dsa65, ml_dsa87 } from '@noble/post-quantum/ml-dsa.js';

/**
 * A verification that shares no code with the project: raw bytes, offsets of the standard, a CBOR reader of a page, Web
 * Cryptography. What it accepts is right by the standard, whoever wrote the authenticator.
 */

type Cbor = number | string | Uint8Array | boolean | null | Cbor[] | Map<Cbor, Cbor>;

function readCbor(bytes: Uint8Array, start = 0): { value: Cbor; end: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const initial = view.getUint8(start);
  const info = initial & 31;
  let at = start + 1;
  let argument = info;
  if (info === 24) argument = view.getUint8(at++);
  else if (info === 25) {
    argument = view.getUint16(at);
    at += 2;
  } else if (info === 26) {
    argument = view.getUint32(at);
    at += 4;
  } else if (info > 26) throw new Error(`CBOR: additional information ${info} is not expected here`);
  switch (initial >> 5) {
    case 0:
      return { value: argument, end: at };
    case 1:
      return { value: -1 - argument, end: at };
    case 2:
      return { value: bytes.slice(at, at + argument), end: at + argument };
    case 3:
      return { value: new TextDecoder().decode(bytes.slice(at, at + argument)), end: at + argument };
    case 4: {
      const list: Cbor[] = [];
      for (let n = 0; n < argument; n++) {
        const item = readCbor(bytes, at);
        list.push(item.value);
        at = item.end;
      }
      return { value: list, end: at };
    }
    case 5: {
      const map = new Map<Cbor, Cbor>();
      for (let n = 0; n < argument; n++) {
        const key = readCbor(bytes, at);
        const value = readCbor(bytes, key.end);
        map.set(key.value, value.value);
        at = value.end;
      }
      return { value: map, end: at };
    }
    default:
      if (info === 20 || info === 21) return { value: info === 21, end: at };
      throw new Error(`CBOR: byte ${initial} is not expected here`);
  }
}

function wholeMap(bytes: Uint8Array): Map<Cbor, Cbor> {
  const { value, end } = readCbor(bytes);
  if (!(value instanceof Map) || end !== bytes.length) throw new Error('CBOR: expected one map and nothing after it');
  return value;
}

const fromText = (text: string | undefined) => new Uint8Array(Buffer.from(text ?? '', 'base64url'));
const toText = (bytes: unknown) => Buffer.from(bytes instanceof Uint8Array ? bytes : []).toString('base64url');
const sha256 = async (bytes: Uint8Array) => new Uint8Array(await webcrypto.subtle.digest('SHA-256', bytes));
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

function demand(name: string, ok: boolean): void {
  if (!ok) throw new Error(`Independent verification: ${name}`);
}

/** ECDSA: DER SEQUENCE of two INTEGERs to r || s. */
function fixedLength(der: Uint8Array, size: number): Uint8Array {
  const integers: number[][] = [];
  let at = der[1] === 0x81 ? 3 : 2;
  demand('the signature is one DER SEQUENCE', der[0] === 0x30 && der.length === at + (der[at - 1] ?? 0));
  for (let n = 0; n < 2; n++) {
    const length = der[at + 1] ?? 0;
    const bytes = Array.from(der.subarray(at + 2, at + 2 + length));
    while (bytes.length > size && bytes[0] === 0) bytes.shift();
    integers.push([...Array.from({ length: size - bytes.length }, () => 0), ...bytes]);
    at += 2 + length;
  }
  demand('nothing follows the signature', at === der.length);
  return Uint8Array.from(integers.flat());
}

interface Scheme {
  readonly import: webcrypto.AlgorithmIdentifier | webcrypto.EcKeyImportParams | webcrypto.RsaHashedImportParams;
  readonly verify: webcrypto.AlgorithmIdentifier | webcrypto.EcdsaParams | webcrypto.RsaPssParams;
  readonly size?: number;
}

const ecdsa = (namedCurve: string, hash: string, size: number): Scheme => ({
  import: { name: 'ECDSA', namedCurve },
  verify: { name: 'ECDSA', hash },
  size,
});
const rsa = (name: string, hash: string, saltLength: number): Scheme => ({ import: { name, hash }, verify: { name, saltLength } });
const edwards = (name: string): Scheme => ({ import: { name }, verify: { name } });

const SCHEMES: ReadonlyMap<Cbor | undefined, Scheme> = new Map([
  [-7, ecdsa('P-256', 'SHA-256', 32)],
  [-9, ecdsa('P-256', 'SHA-256', 32)],
  [-35, ecdsa('P-384', 'SHA-384', 48)],
  [-51, ecdsa('P-384', 'SHA-384', 48)],
  [-36, ecdsa('P-521', 'SHA-512', 66)],
  [-52, ecdsa('P-521', 'SHA-512', 66)],
  [-8, edwards('Ed25519')],
  [-19, edwards('Ed25519')],
  [-53, edwards('Ed448')],
  [-257, rsa('RSASSA-PKCS1-v1_5', 'SHA-256', 0)],
  [-258, rsa('RSASSA-PKCS1-v1_5', 'SHA-384', 0)],
  [-259, rsa('RSASSA-PKCS1-v1_5', 'SHA-512', 0)],
  [-37, rsa('RSA-PSS', 'SHA-256', 32)],
  [-38, rsa('RSA-PSS', 'SHA-384', 48)],
  [-39, rsa('RSA-PSS', 'SHA-512', 64)],
]);

function toJwk(key: Map<Cbor, Cbor>): webcrypto.JsonWebKey {
  const curve = key.get(-1);
  switch (key.get(1)) {
    case 2:
      return { kty: 'EC', crv: ['', 'P-256', 'P-384', 'P-521'][Number(curve)] ?? '', x: toText(key.get(-2)), y: toText(key.get(-3)) };
    case 1:
      return { kty: 'OKP', crv: curve === 6 ? 'Ed25519' : 'Ed448', x: toText(key.get(-2)) };
    default:
      return { kty: 'RSA', n: toText(key.get(-1)), e: toText(key.get(-2)) };
  }
}

type Verifier = (key: Map<Cbor, Cbor>, signature: Uint8Array, data: Uint8Array) => boolean;

const mlDsa =
  (scheme: typeof ml_dsa44): Verifier =>
  (key, signature, data) => {
    const pub = key.get(-1);
    return pub instanceof Uint8Array && key.get(1) === 7 && scheme.verify(signature, data, pub);
  };

/** What Web Cryptography does not know everywhere. */
const OTHERS: ReadonlyMap<Cbor | undefined, Verifier> = new Map<Cbor, Verifier>([
  [
    -47,
    (key, signature, data) => {
      demand('the key is on secp256k1', key.get(1) === 2 && key.get(-1) === 8);
      const jwk = { kty: 'EC', crv: 'secp256k1', x: toText(key.get(-2)), y: toText(key.get(-3)) };
      return verify('sha256', data, createPublicKey({ key: jwk, format: 'jwk' }), signature);
    },
  ],
  [-48, mlDsa(ml_dsa44)],
  [-49, mlDsa(ml_dsa65)],
  [-50, mlDsa(ml_dsa87)],
]);

/** Verifies a signature with a COSE key. */
export async function verifyRaw(coseKey: Uint8Array, signature: Uint8Array, data: Uint8Array): Promise<boolean> {
  const key = wholeMap(coseKey);
  const other = OTHERS.get(key.get(3));
  if (other) return other(key, signature, data);
  const scheme = SCHEMES.get(key.get(3));
  if (scheme === undefined) throw new Error(`Independent verification: unknown algorithm ${String(key.get(3))}`);
  const publicKey = await webcrypto.subtle.importKey('jwk', toJwk(key), scheme.import, true, ['verify']);
  const raw = scheme.size === undefined ? signature : fixedLength(signature, scheme.size);
  return await webcrypto.subtle.verify(scheme.verify, publicKey, raw, data);
}

export interface Expected {
  readonly challenge: string;
  readonly origin: string;
  readonly rpId: string;
  readonly crossOrigin?: boolean;
  readonly topOrigin?: string;
  /** Flags byte of the authenticator data. */
  readonly flags: number;
  readonly signCount: number;
}

/** The limited verification algorithm (§5.8.1.2): client data compared as bytes. */
function checkClientData(bytes: Uint8Array, type: string, expected: Expected): void {
  const members = { type, challenge: expected.challenge, origin: expected.origin, crossOrigin: expected.crossOrigin ?? false };
  const whole = JSON.stringify({ ...members, ...(expected.topOrigin !== undefined && { topOrigin: expected.topOrigin }) });
  const got = new TextDecoder().decode(bytes);
  demand(`client data is ${whole}, not ${got}`, got === whole);
}

async function checkAuthenticatorData(data: Uint8Array, { rpId, flags, signCount }: Expected): Promise<void> {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  demand('the RP ID hash fits', hex(data.slice(0, 32)) === hex(await sha256(new TextEncoder().encode(rpId))));
  demand(`the flags are ${flags.toString(2)}, not ${view.getUint8(32).toString(2)}`, view.getUint8(32) === flags);
  demand(`the sign count is ${signCount}, not ${view.getUint32(33)}`, view.getUint32(33) === signCount);
}

interface RegistrationJSON {
  readonly id: string;
  readonly rawId: string;
  readonly type: string;
  readonly response: {
    readonly clientDataJSON: string;
    readonly attestationObject: string;
    readonly authenticatorData?: string;
    readonly publicKey?: string;
    readonly publicKeyAlgorithm?: number;
  };
}

/** Verifies a registration; formats: none, and packed with self attestation. Returns the COSE key and AAGUID. */
export async function verifyRegistration(json: RegistrationJSON, expected: Expected) {
  const { response } = json;
  const clientData = fromText(response.clientDataJSON);
  checkClientData(clientData, 'webauthn.create', expected);
  const attestation = wholeMap(fromText(response.attestationObject));
  const authData = attestation.get('authData');
  const statement = attestation.get('attStmt');
  if (!(authData instanceof Uint8Array) || !(statement instanceof Map)) throw new Error('Independent verification: attestation object');
  await checkAuthenticatorData(authData, expected);
  const idLength = ((authData[53] ?? 0) << 8) | (authData[54] ?? 0);
  const id = authData.slice(55, 55 + idLength);
  const { end } = readCbor(authData, 55 + idLength);
  const coseKey = authData.slice(55 + idLength, end);
  demand('id and rawId are the attested one', json.id === toText(id) && json.rawId === json.id && json.type === 'public-key');
  demand('authenticatorData repeats the attested one', response.authenticatorData === toText(authData));
  demand('publicKeyAlgorithm repeats the key', response.publicKeyAlgorithm === wholeMap(coseKey).get(3));
  if (response.publicKey !== undefined) {
    const scheme = SCHEMES.get(response.publicKeyAlgorithm);
    const spki = await webcrypto.subtle.importKey('spki', fromText(response.publicKey), scheme?.import ?? '', true, ['verify']);
    const { x, y, n, e } = await webcrypto.subtle.exportKey('jwk', spki);
    const jwk = toJwk(wholeMap(coseKey));
    demand('publicKey is the attested key', JSON.stringify([jwk.x, jwk.y, jwk.n, jwk.e]) === JSON.stringify([x, y, n, e]));
  }
  const fmt = attestation.get('fmt');
  if (fmt === 'packed') {
    const sig = statement.get('sig');
    const signed = Uint8Array.from([...authData, ...(await sha256(clientData))]);
    demand('the statement names the algorithm of the key', statement.get('alg') === wholeMap(coseKey).get(3));
    demand('the statement is signed', sig instanceof Uint8Array && (await verifyRaw(coseKey, sig, signed)));
  } else {
    demand('the statement is empty', fmt === 'none' && statement.size === 0);
  }
  return { coseKey, fmt, aaguid: authData.slice(37, 53), id };
}

interface AuthenticationJSON {
  readonly id: string;
  readonly rawId: string;
  readonly type: string;
  readonly response: { readonly clientDataJSON: string; readonly authenticatorData: string; readonly signature: string };
}

/** Verifies an authentication with the COSE key of the registration. */
export async function verifyAuthentication(json: AuthenticationJSON, coseKey: Uint8Array, expected: Expected): Promise<void> {
  const clientData = fromText(json.response.clientDataJSON);
  checkClientData(clientData, 'webauthn.get', expected);
  const authData = fromText(json.response.authenticatorData);
  await checkAuthenticatorData(authData, expected);
  demand('rawId is the ID', json.rawId === json.id && json.type === 'public-key');
  const signed = Uint8Array.from([...authData, ...(await sha256(clientData))]);
  demand('the signature verifies', await verifyRaw(coseKey, fromText(json.response.signature), signed));
}
