import { cbor, map } from '../craft/cbor.js';
import { coseKey, ec, ed448, ed25519, type Pair, rsa, spki } from '../craft/keys.js';
import { AT, base64url, type CreateChange, HOST, sha256, UP, UV } from '../craft/scene.js';
import { packed, self } from '../craft/statements.js';
import { type Exchange, happened } from './exchange-table.js';

const creating =
  (change: CreateChange, asked = {}): Exchange =>
  async (scene) =>
    await scene.register(change, asked);

const offering = (...algorithms: readonly number[]) => ({ algorithms });

/** A key in which one byte of a coordinate is another. */
function offCurve(pair: Pair): Buffer {
  const y = Buffer.from(pair.publicKey.export({ format: 'jwk' }).y ?? '', 'base64url');
  y[31] = (y[31] ?? 0) ^ 1;
  return y;
}

function signBitOf(pair: Pair): boolean {
  return ((Buffer.from(pair.publicKey.export({ format: 'jwk' }).y ?? '', 'base64url')[31] ?? 0) & 1) === 1;
}

const ours = ec();
const theirs = ec();
const other = base64url(Buffer.alloc(32, 7));

/** §5.8.5, §7.1 step 20. */
export const KEYS = {
  'algorithm-unchecked': creating({ pair: ec('P-384', -35) }),
  'algorithm-of-server': creating({ pair: ed25519() }),
  'algorithm-from-unsigned-copy': creating({ pair: ed25519(), response: { publicKeyAlgorithm: -7 } }),
  'key-type-unchecked': creating({ cose: [[3, -257]] }),
  'curve-unchecked': creating({ pair: ec('P-384', -7) }),
  'okp-curve-unchecked': creating({ pair: ed448(-8) }, offering(-8)),
  'key-not-imported': creating({ pair: ours, cose: [[-3, offCurve(ours)]] }),
  'compressed-point-accepted': creating({ pair: ours, cose: [[-3, signBitOf(ours)]] }),
  'public-key-from-unsigned-copy': async (scene) => {
    const made = await scene.registered({ response: { publicKey: base64url(spki(theirs)) } });
    return await scene.signIn({ ...made, pair: theirs });
  },
  'authenticator-data-from-unsigned-copy': async (scene) => {
    const id = Buffer.alloc(32, 1);
    const copy = Buffer.concat([
      sha256(HOST),
      Buffer.from([UP | UV | AT, 0, 0, 0, 0]),
      Buffer.alloc(16),
      Buffer.from([0, id.length]),
      id,
      cbor(coseKey(theirs)),
    ]);
    return await scene.register({ id, rpIdHash: sha256('evil.example'), response: { authenticatorData: base64url(copy) } });
  },
  'rs256-refused': creating({ pair: rsa() }),
  'eddsa-refused': creating({ pair: ed25519() }, offering(-8)),
  'fully-specified-refused': creating({ pair: ec('P-256', -9) }, offering(-9)),
  'hash-always-sha256': async (scene) => await scene.signIn(await scene.registered({ pair: ec('P-384', -35) }, offering(-35))),
} as const satisfies Record<string, Exchange>;

/** §5.1, §7.1 steps 13, 22 and 26 to 28. */
export const OBJECTS = {
  'unknown-format-accepted': creating({ attest: () => ({ fmt: 'of-the-future', attStmt: map() }) }),
  'format-case-folded': creating({ attest: () => ({ fmt: 'None', attStmt: map() }) }),
  'attestation-object-goes-on': creating({ objectTail: Buffer.from([0]) }),
  'cbor-duplicate-keys': creating({
    object: ({ fmt, attStmt, authData }) => ({
      pairs: [
        ['fmt', 'packed'],
        ['fmt', fmt],
        ['attStmt', attStmt],
        ['authData', authData],
      ],
    }),
  }),
  'statement-unasked-unverified': creating({ attest: self([], theirs) }),
  'none-statement-not-empty': creating({ attest: () => ({ fmt: 'none', attStmt: map(['sig', Buffer.alloc(8)]) }) }),
  'credential-id-too-long': creating({ id: Buffer.alloc(1024, 1) }),
  'known-credential-of-another-user': async (scene) => {
    const { id } = await scene.registered();
    return await scene.register({ id }, {}, 1);
  },
  'known-credential-replaced': async (scene) => {
    const { id } = await scene.registered();
    return await scene.register({ id });
  },
  'known-credential-by-text': async (scene) => {
    const { id } = await scene.registered();
    return await scene.register({ id, body: { id: id.toString('base64'), rawId: id.toString('base64') } });
  },
  'credential-id-from-response': creating({ body: { id: other, rawId: other } }),
  'raw-id-unchecked': creating({ body: { rawId: other } }),
  'credential-type-unchecked': creating({ body: { type: 'password' } }),
  'exclude-list-omitted': async (scene) => {
    await scene.registered();
    return happened((await scene.creationOptions())['excludeCredentials'] === undefined);
  },

  'unknown-member-refused': creating({ body: { memberOfTheFuture: true } }),
  'client-extension-results-refused': creating({ body: { clientExtensionResults: { credProps: { rk: true } } } }),
  'transports-required': creating({ response: { transports: undefined } }),
  'unknown-transport-refused': creating({ response: { transports: ['internal', 'of-the-future'] } }),
  'attachment-required': creating({ body: { authenticatorAttachment: undefined } }),
  'padded-base64-refused': creating({ id: Buffer.alloc(32, 6), body: { id: `${base64url(Buffer.alloc(32, 6))}=` } }),
  'standard-base64-refused': creating({ id: Buffer.alloc(33, 0xff), body: { id: Buffer.alloc(33, 0xff).toString('base64') } }),
  'second-passkey-refused': async (scene) => {
    await scene.registered();
    return await scene.register();
  },
  'long-credential-id-refused': creating({ id: Buffer.alloc(1023, 1) }),
  'aaguid-must-be-zero': creating({ aaguid: Buffer.alloc(16, 5) }),
  'statement-unasked-refused': creating({ attest: packed() }),
  'attestation-object-order-required': creating({
    object: ({ fmt, attStmt, authData }) => map(['authData', authData], ['fmt', fmt], ['attStmt', attStmt]),
  }),
  'malformed-cbor-crashes': creating({ response: { attestationObject: 'o2Nm' } }),
  'missing-member-crashes': creating({ response: { attestationObject: undefined } }),
  'malformed-base64-crashes': creating({ body: { id: '*', rawId: '*' } }),
  'malformed-json-crashes': async ({ party }) => {
    const headers = { 'content-type': 'application/json' };
    const { status } = await party.answer({ method: 'POST', path: '/api/passkeys/login', headers, body: '{"id":' });
    return status === 500 ? 'failed' : 'refused';
  },
} as const satisfies Record<string, Exchange>;
