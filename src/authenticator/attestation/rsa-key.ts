import { generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

const generate = promisify(generateKeyPair);
let key: Promise<KeyObject> | undefined;

/** The RSA key of attestations that need one: generated once a process. */
export function attestationRsaKey(): Promise<KeyObject> {
  key ??= generate('rsa', { modulusLength: 2048 }).then(({ privateKey }) => privateKey);
  return key;
}
