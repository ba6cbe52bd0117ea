import { verify } from 'node:crypto';
import { sha256 } from '../bytes.js';
import { type Certificate, readCertificate } from '../certificate.js';
import { bytesOf, demand, malformed, type StatementInput, signedData, type Verified } from './statement.js';

const HOST = 'attest.android.com';

interface Jws {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly signed: Buffer;
  readonly signature: Buffer;
}

/** §8.5. */
export function verifySafetyNet(input: StatementInput): Verified {
  const { statement, party } = input;
  const { faults } = party;
  const version = statement.get('ver');
  if (typeof version !== 'string' || version === '') malformed('ver is no text');
  const response = bytesOf(statement, 'response');
  const jws = readJws(response);
  const chain = chainOf(jws.header);
  const [leaf] = chain;
  const unsigned = faults.has('safetynet-algorithm-none') && jws.header['alg'] === 'none';
  demand(
    unsigned || faults.has('safetynet-signature-unchecked') || signatureFits(jws, leaf),
    'the response is not signed by its certificate',
  );
  const host = leaf.x509.checkHost(HOST, { wildcards: false }) !== undefined;
  demand(host || faults.has('safetynet-hostname-unchecked'), `the certificate is not that of ${HOST}`);

  const { nonce, ctsProfileMatch, timestampMs } = jws.payload;
  const fits = nonce === sha256(signedData(input)).toString('base64');
  demand(fits || faults.has('safetynet-nonce-unchecked'), 'nonce is of another registration');
  demand(ctsProfileMatch === true || faults.has('safetynet-cts-unchecked'), 'the device does not match its profile');
  const recent = typeof timestampMs === 'number' && Math.abs(party.now() - timestampMs) <= party.policy.challengeLifetime;
  demand(recent || faults.has('safetynet-timestamp-unchecked'), 'the response is of another time');
  return { type: 'certificate', x5c: chain };
}

function readJws(response: Uint8Array): Jws {
  const [header, payload, signature, ...more] = Buffer.from(response).toString('utf8').split('.');
  if (header === undefined || payload === undefined || signature === undefined || more.length > 0) malformed('the response is no JWS');
  return {
    header: toObject(header),
    payload: toObject(payload),
    signed: Buffer.from(`${header}.${payload}`),
    signature: Buffer.from(signature, 'base64url'),
  };
}

function toObject(part: string): Record<string, unknown> {
  const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  return typeof value === 'object' && value !== null ? { ...value } : malformed('a part of the response is no JSON object');
}

function chainOf({ x5c }: Jws['header']): [Certificate, ...Certificate[]] {
  if (!Array.isArray(x5c)) return malformed('x5c is no array');
  const [leaf, ...above] = x5c.map((text: unknown) => readCertificate(Buffer.from(String(text), 'base64')));
  return leaf === undefined ? malformed('x5c is empty') : [leaf, ...above];
}

/** RFC 7518 §3. */
function signatureFits({ header, signed, signature }: Jws, { publicKey }: Certificate): boolean {
  const kind = publicKey.asymmetricKeyType;
  if (header['alg'] === 'RS256' && kind === 'rsa') return verify('sha256', signed, publicKey, signature);
  return header['alg'] === 'ES256' && kind === 'ec' && verify('sha256', signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature);
}
