import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import type { Ceremony } from './ceremonies.js';
import { check, type Party, refuse } from './party.js';

/** A ceremony as the client keeps it, in a text that this server has signed or encrypted. */
export type Tokened = Omit<Ceremony, 'spent'>;

interface Keys {
  readonly signing: Buffer;
  readonly sealing: Buffer;
}

export const newKeys = (): Keys => ({ signing: randomBytes(32), sealing: randomBytes(32) });

const signatureOf = (payload: string, { signing }: Keys) => createHmac('sha256', signing).update(payload).digest('base64url');

export function writeToken(ceremony: Tokened, keys: Keys, { policy }: Pick<Party, 'policy'>): string {
  const { openedAt } = ceremony;
  const claims = JSON.stringify({ ...ceremony, iat: openedAt / 1000, exp: (openedAt + policy.challengeLifetime) / 1000 });
  if (policy.challenges === 'cookie') {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', keys.sealing, iv);
    return Buffer.concat([iv, cipher.update(claims), cipher.final(), cipher.getAuthTag()]).toString('base64url');
  }
  const payload = Buffer.from(claims).toString('base64url');
  const signed = `${payload}.${signatureOf(payload, keys)}`;
  return policy.challenges === 'itself' ? Buffer.from(signed).toString('base64url') : signed;
}

export function readToken(token: string | undefined, keys: Keys, party: Party): Tokened {
  const { challenges } = party.policy;
  check(token !== undefined && token !== '', 'challenge_not_ours', 'The token of the challenge is missing.');
  const claims = readClaims(challenges === 'itself' ? Buffer.from(token, 'base64url').toString() : token, keys, party);
  if (challenges !== 'itself') return claims;
  check(Buffer.from(token, 'base64url').toString('base64url') === token, 'challenge_not_ours', 'The challenge is not as it was given.');
  return { ...claims, challenge: token };
}

function readClaims(token: string, keys: Keys, { policy, faults }: Party): Tokened {
  try {
    if (policy.challenges === 'cookie') return JSON.parse(open(Buffer.from(token, 'base64url'), keys));
    const [payload = '', signature] = token.split('.');
    check(faults.has('token-unsigned') || signature === signatureOf(payload, keys), 'challenge_not_ours', 'The token is not ours.');
    return JSON.parse(Buffer.from(payload, 'base64url').toString());
  } catch {
    return refuse('challenge_not_ours', 'The token of the challenge is not ours.');
  }
}

function open(bytes: Buffer, { sealing }: Keys): string {
  const decipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(-16));
  return `${decipher.update(bytes.subarray(12, -16)).toString()}${decipher.final().toString()}`;
}

export const HEADER_OF_TOKEN = 'x-challenge-token';
export const COOKIE_OF_TOKEN = 'independent_challenge';
