import { createPrivateKey, type JsonWebKeyInput } from 'node:crypto';
import * as Type from 'typebox';
import { isObject, type JsonObject } from '../../kernel/json-value.js';
import { KEY_TYPES } from '../../webauthn/algorithms.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { SIGNING_ALGORITHMS, signingAlgorithm } from '../algorithms.js';
import type { CredentialSource } from '../credential-source.js';
import { encodePkcs8, ML_DSA_SEED_BYTES } from '../pkcs8.js';
import { makeKeyObject, readPrivateKey } from '../private-key.js';
import { openSigningKey } from '../signing-key.js';
import { base64, decode, type Located, listAt, makeReader, objectsAt, orNone, parseJson, present, text } from './reading.js';
import { invalid, type ReadCredential, type Shape } from './shape.js';

const TITLE = 'private JSON Web Keys (RFC 7517)';

/**
 * A JWK Set, in which `kid` is the credential ID. Also reads a single key. ML-DSA keys have the key type AKP, with their seed in `priv`.
 */
export const jsonWebKey: Shape = {
  title: TITLE,
  carries: ['id', 'algorithm'],
  read(document) {
    const value = parseJson(document, TITLE);
    if (isObject(value) && 'keys' in value) return listAt({ object: value, at: 'document' }, 'keys').map(readKey);
    return objectsAt(value, 'key').map(readKey);
  },
  write: async (sources) => JSON.stringify({ keys: await Promise.all(sources.map(writeKey)) }, null, 2),
};

const readMembers = makeReader(Type.Object({ alg: orNone(text), kid: orNone(base64) }));
const readSeedMember = makeReader(Type.Object({ priv: base64 }));
const readPrivatePart = makeReader(Type.Object({ d: Type.String({ description: 'the private part of the key' }) }));

function readKey(each: Located): ReadCredential {
  const { alg, kid } = readMembers(each.object, each.at);
  const name = alg ?? undefined;
  const algorithm = name === undefined ? undefined : SIGNING_ALGORITHMS.find((known) => known.name === name);
  if (name !== undefined && algorithm === undefined) {
    throw invalid(`Expected ${each.at}.alg to be one of ${SIGNING_ALGORITHMS.map((known) => known.name).join(', ')}; got another.`);
  }
  const id = typeof kid === 'string' ? decode(kid) : undefined;
  const privateKey = each.object.kty === 'AKP' ? readSeed(each, algorithm?.name) : readNative(each);
  return { at: each.at, privateKey, ...present({ id, algorithm: algorithm?.id }) };
}

function readSeed(each: Located, kind: string | undefined): Uint8Array {
  const secret = decode(readSeedMember(each.object, each.at).priv);
  if (kind === undefined) throw invalid(`Expected ${each.at}.alg to name the algorithm of an AKP key; got nothing.`);
  if (secret.length !== ML_DSA_SEED_BYTES) {
    throw invalid(`Expected ${each.at}.priv to be a seed of ${ML_DSA_SEED_BYTES} bytes; got ${secret.length}.`);
  }
  return encodePkcs8({ kind, secret });
}

function readNative({ object, at }: Located): Uint8Array {
  readPrivatePart(object, at);
  return importJwk(object, at);
}

/**
 * Converts a JSON Web Key to PKCS#8. The conversion also checks the key, because Node notices some faults of a key only when it exports the
 * key.
 */
function importJwk(key: JsonObject, at: string): Uint8Array {
  try {
    const input: JsonWebKeyInput = { key: { ...key }, format: 'jwk' };
    return new Uint8Array(createPrivateKey(input).export({ format: 'der', type: 'pkcs8' }));
  } catch {
    // Without the cause: it may quote a member.
    throw invalid(`Expected ${at} to be a private JSON Web Key of type EC, OKP, RSA or AKP; got one that cannot be imported.`);
  }
}

async function writeKey({ id, algorithm: alg, privateKey }: CredentialSource) {
  const algorithm = signingAlgorithm(alg);
  const read = readPrivateKey(algorithm, privateKey);
  const about = { alg: algorithm.name, kid: encodeBase64url(id) };
  if (algorithm.key.type !== 'ml-dsa') return { ...makeKeyObject(read).export({ format: 'jwk' }), ...about };
  const { coseKey } = await openSigningKey(algorithm, privateKey);
  const pub = coseKey.kty === KEY_TYPES.AKP ? { pub: encodeBase64url(coseKey.pub) } : {};
  return { kty: 'AKP', ...about, ...pub, priv: encodeBase64url(read.secret) };
}
