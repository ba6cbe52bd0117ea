import { Fido2Lib } from 'fido2-lib';
import { decodeBase64url } from '../../src/webauthn/base64url.js';
import { readCoseAlgorithm } from '../../src/webauthn/cose-key.js';
import { startFido2 } from './fido2.js';
import type { Verifier } from './verifier.js';

/** Algorithms whose keys fido2-lib can import without doubt. */
const ALGORITHMS = [-7, -257];

/** fido2-lib, as its documentation asks to be used. It keeps the public key as PEM. */
export const fido2Lib: Verifier = {
  async registration({ id, response }, { algorithms, ...expected }) {
    const { audit, authnrData } = await library(expected.rpId).attestationResult(
      {
        id: buffer(id),
        rawId: buffer(id),
        response: { clientDataJSON: response.clientDataJSON, attestationObject: response.attestationObject },
      },
      expectations(expected),
    );
    if (!audit.complete) return undefined;
    const cose = new Uint8Array(bufferIn(authnrData, 'credentialPublicKeyCose'));
    const alg = readCoseAlgorithm(cose);
    if (!algorithms.includes(alg)) throw new Error(`Algorithm ${alg} was not offered.`);
    return {
      id: Buffer.from(bufferIn(authnrData, 'credId')).toString('base64url'),
      publicKey: new TextEncoder().encode(String(authnrData.get('credentialPublicKeyPem'))),
      counter: Number(authnrData.get('counter')),
      ...(response.transports && { transports: response.transports }),
    };
  },

  async authentication({ id, response }, { credential, userHandle, ...expected }) {
    const { clientDataJSON, authenticatorData, signature } = response;
    const { audit, authnrData } = await library(expected.rpId).assertionResult(
      {
        id: buffer(id),
        rawId: buffer(id),
        response: {
          clientDataJSON,
          authenticatorData: buffer(authenticatorData),
          signature,
          ...(response.userHandle && { userHandle: response.userHandle }),
        },
      },
      {
        ...expectations(expected),
        publicKey: new TextDecoder().decode(credential.publicKey),
        prevCounter: credential.counter,
        userHandle,
      },
    );
    return audit.complete ? Number(authnrData.get('counter')) : undefined;
  },
};

/** A FIDO server over it. */
export const startFido2Lib = () => startFido2({ verifier: fido2Lib, algorithms: ALGORITHMS });

const library = (rpId: string) => new Fido2Lib({ rpId });
const buffer = (text: string): ArrayBuffer => Uint8Array.from(decodeBase64url(text)).buffer;

function expectations(expected: Omit<Parameters<Verifier['registration']>[1], 'algorithms'>) {
  const { challenge, origins, rpId, requireUserVerification } = expected;
  const [origin = ''] = origins;
  return { challenge, origin, rpId, factor: requireUserVerification ? ('first' as const) : ('either' as const) };
}

function bufferIn(data: ReadonlyMap<string, unknown>, member: string): ArrayBuffer {
  const value = data.get(member);
  if (!(value instanceof ArrayBuffer)) throw new TypeError(`Expected ${member} to be bytes.`);
  return value;
}
