import { createHash } from 'node:crypto';
import { nameOf, writeAttest, writePublicArea } from '../../../src/authenticator/attestation/tpm-writer.js';
import { directoryName, type ExtensionToWrite, named, WRITE_EXTENSION } from '../../../src/webauthn/certificate-writer.js';
import { context, enumerated, integer, nothing, octetString, sequence, set } from '../../../src/webauthn/der-writer.js';
import { OID } from '../certificate.js';
import { changed, map, type Value } from './cbor.js';
import { type CertificateChange, type Issued, issue, LEAF } from './certificates.js';
import { ec, type Pair, rsa, signBy, signRaw } from './keys.js';
import { type Attested, sha256, type ToAttest } from './scene.js';

/** How a statement is made wrong. */
export interface StatementChange {
  readonly certificate?: CertificateChange;
  /** x5c, given the attestation certificate. */
  readonly chain?: (leaf: Issued) => readonly Uint8Array[];
  /** Members of the statement. */
  readonly members?: readonly (readonly [Value, Value | undefined])[];
  /** Who signs, if not the key that should. */
  readonly signer?: (leaf: Issued, made: ToAttest) => Pair;
  /** What is signed, if not what should be. */
  readonly signed?: (data: Buffer, made: ToAttest) => Uint8Array;
}

export type Attest = (made: ToAttest) => Attested;

const toBeSigned = ({ authData, hash }: ToAttest): Buffer => Buffer.concat([authData, hash]);

interface Common extends StatementChange {
  readonly fmt: string;
  readonly data: Buffer;
  readonly before?: readonly (readonly [Value, Value])[];
}

function certified(made: ToAttest, { fmt, data, before = [], ...change }: Common): Attested {
  const leaf = issue(change.certificate ?? {});
  const signer = change.signer?.(leaf, made) ?? leaf.pair;
  const sig = signBy(signer, change.signed?.(data, made) ?? data);
  const x5c = change.chain?.(leaf) ?? [leaf.der];
  return { fmt, attStmt: changed(map(...before, ['sig', sig], ['x5c', x5c]), change.members ?? []) };
}

export const packed =
  (change: StatementChange = {}): Attest =>
  (made) =>
    certified(made, { fmt: 'packed', data: toBeSigned(made), before: [['alg', change.certificate?.pair?.alg ?? -7]], ...change });

/** Self attestation. */
export const self =
  (members: readonly (readonly [Value, Value | undefined])[] = [], signer?: Pair): Attest =>
  (made) => {
    const statement = map(['alg', made.pair.alg], ['sig', signBy(signer ?? made.pair, toBeSigned(made))]);
    return { fmt: 'packed', attStmt: changed(statement, members) };
  };

export const u2f =
  (change: StatementChange = {}): Attest =>
  (made) => {
    const { x = '', y = '' } = made.pair.publicKey.export({ format: 'jwk' });
    const point = [Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
    const data = Buffer.concat([Buffer.from([0]), made.authData.subarray(0, 32), made.hash, made.id, ...point]);
    return certified(made, { fmt: 'fido-u2f', data, ...change });
  };

export interface KeyDescription {
  readonly challenge?: Uint8Array;
  readonly software?: readonly Uint8Array[];
  readonly tee?: readonly Uint8Array[];
}

export const AUTHORIZATION = {
  signing: context(1, set(integer(2))),
  decrypting: context(1, set(integer(1))),
  allApplications: context(600, nothing()),
  generated: context(702, integer(0)),
  imported: context(702, integer(2)),
};

export const androidKey =
  ({ challenge, software = [], tee, ...change }: StatementChange & KeyDescription = {}): Attest =>
  (made) => {
    const lists = [software, tee ?? [AUTHORIZATION.signing, AUTHORIZATION.generated]].map((list) => sequence(...list));
    const versions = [integer(300), enumerated(1), integer(300), enumerated(1)];
    const value = sequence(...versions, octetString(challenge ?? made.hash), octetString(new Uint8Array()), ...lists);
    const extensions = [...LEAF, { oid: OID.androidKeyDescription, value }];
    const certificate = { pair: made.pair, extensions, ...change.certificate };
    return certified(made, { fmt: 'android-key', data: toBeSigned(made), before: [['alg', made.pair.alg]], ...change, certificate });
  };

export const apple =
  ({ nonce, ...change }: CertificateChange & { readonly nonce?: Uint8Array } = {}): Attest =>
  (made) => {
    const value = sequence(context(1, octetString(nonce ?? sha256(toBeSigned(made)))));
    const leaf = issue({ pair: made.pair, extensions: [...LEAF, { oid: OID.appleNonce, value }], ...change });
    return { fmt: 'apple', attStmt: map(['x5c', [leaf.der]]) };
  };

export interface SafetyNetChange {
  readonly host?: string;
  readonly payload?: object;
  readonly header?: object;
  readonly signature?: Uint8Array;
}

export const safetyNet =
  (now: number, { host = 'attest.android.com', payload, header, signature }: SafetyNetChange = {}): Attest =>
  (made) => {
    const leaf = issue({ extensions: [...LEAF, WRITE_EXTENSION.dnsName(host)], subject: [named('CN', host)] });
    const x5c = [Buffer.from(leaf.der).toString('base64')];
    const nonce = sha256(toBeSigned(made)).toString('base64');
    const parts = [
      { alg: 'ES256', x5c, ...header },
      { nonce, ctsProfileMatch: true, timestampMs: now, ...payload },
    ];
    const input = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    const signed = Buffer.from(signature ?? signRaw(leaf.pair, Buffer.from(input))).toString('base64url');
    return { fmt: 'android-safetynet', attStmt: map(['ver', '12'], ['response', Buffer.from(`${input}.${signed}`)]) };
  };

export const TPM_NAMES = WRITE_EXTENSION.subjectAltName(
  true,
  directoryName(named('tpmManufacturer', 'id:FFFFF1D0'), named('tpmModel', 'Crafted'), named('tpmVersion', 'id:1')),
);
export const TPM_PURPOSE = WRITE_EXTENSION.extendedKeyUsage(OID.tpmAikCertificate);
export const TPM_EXTENSIONS: readonly ExtensionToWrite[] = [...LEAF, TPM_NAMES, TPM_PURPOSE];

export interface TpmChange extends StatementChange {
  readonly rs1?: boolean;
  /** Whose public area it is, if not the credential's. */
  readonly area?: Pair;
  readonly extraData?: Uint8Array;
  readonly name?: Uint8Array;
  /** Changes certInfo before it is signed. */
  readonly certInfo?: (bytes: Buffer) => void;
}

const CLOCK = { clock: 0n, resetCount: 0, restartCount: 0, safe: 1, firmwareVersion: 0n };
const EMPTY = new Uint8Array();

export const tpm =
  ({ rs1 = false, area, extraData, name, certInfo: change, ...rest }: TpmChange = {}): Attest =>
  (made) => {
    const { x = '', y = '' } = (area ?? made.pair).publicKey.export({ format: 'jwk' });
    const [xBytes, yBytes] = [x, y].map((text) => new Uint8Array(Buffer.from(text, 'base64url')));
    const key = { kty: 2, alg: -7, crv: 1, x: xBytes ?? EMPTY, y: yBytes ?? EMPTY } as const;
    const pubArea = writePublicArea(key, { attributes: 0x60472, authPolicy: EMPTY });
    const hashed = createHash(rs1 ? 'sha1' : 'sha256')
      .update(toBeSigned(made))
      .digest();
    const extra = new Uint8Array(extraData ?? hashed);
    const qualified = { qualifiedSigner: EMPTY, qualifiedName: EMPTY };
    const attested = { magic: 0xff544347, type: 0x8017, name: name ?? nameOf(pubArea), extraData: extra };
    const certInfo = Buffer.from(writeAttest({ ...attested, ...qualified, ...CLOCK }));
    change?.(certInfo);
    const pair = rs1 ? rsa(-65535) : ec();
    const before = [
      ['ver', '2.0'],
      ['alg', pair.alg],
      ['certInfo', certInfo],
      ['pubArea', Buffer.from(pubArea)],
    ] as const;
    const certificate = { pair, subject: [], extensions: TPM_EXTENSIONS, ...rest.certificate };
    return certified(made, { fmt: 'tpm', data: certInfo, before, ...rest, certificate });
  };

export const compound =
  (...parts: readonly Attest[]): Attest =>
  (made) => ({
    fmt: 'compound',
    attStmt: parts.map((part) => {
      const { fmt, attStmt } = part(made);
      return map(['fmt', fmt], ['attStmt', attStmt]);
    }),
  });
