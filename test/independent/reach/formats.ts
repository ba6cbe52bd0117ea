import { named, WRITE_EXTENSION } from '../../../src/webauthn/certificate-writer.js';
import { CA, intermediate, LEAF, NOW } from '../craft/certificates.js';
import { ec } from '../craft/keys.js';
import {
  type Attest,
  AUTHORIZATION,
  androidKey,
  apple,
  compound,
  packed,
  safetyNet,
  self,
  TPM_EXTENSIONS,
  TPM_NAMES,
  TPM_PURPOSE,
  tpm,
  u2f,
} from '../craft/statements.js';
import type { Exchange } from './exchange-table.js';

const attesting =
  (attest: Attest, aaguid = Buffer.alloc(16)): Exchange =>
  async (scene) =>
    await scene.register({ attest, aaguid });
const other = Buffer.alloc(32, 3);
const above = intermediate();
const { signing, decrypting, allApplications, generated, imported } = AUTHORIZATION;
const tpmCertificate = (...extensions: (typeof TPM_NAMES)[]) => attesting(tpm({ certificate: { extensions } }));
const android = (tee: readonly Uint8Array[], software: readonly Uint8Array[] = []) => attesting(androidKey({ tee, software }));

/** §8.3 to §8.9. */
export const FORMATS = {
  'tpm-signature-unchecked': attesting(tpm({ signer: () => ec() })),
  'tpm-version-unchecked': attesting(tpm({ members: [['ver', '1.2']] })),
  'tpm-public-area-unchecked': attesting(tpm({ area: ec() })),
  'tpm-magic-unchecked': attesting(tpm({ certInfo: (bytes) => bytes.writeUInt32BE(0, 0) })),
  'tpm-type-unchecked': attesting(tpm({ certInfo: (bytes) => bytes.writeUInt16BE(0x8018, 4) })),
  'tpm-extra-data-unchecked': attesting(tpm({ extraData: other })),
  'tpm-name-unchecked': attesting(tpm({ name: Buffer.concat([Buffer.from([0, 0x0b]), other]) })),
  'tpm-certificate-version': attesting(tpm({ certificate: { version: 2 } })),
  'tpm-subject-unchecked': attesting(tpm({ certificate: { subject: [named('CN', 'A TPM')] } })),
  'tpm-san-unchecked': tpmCertificate(...LEAF, TPM_PURPOSE),
  'tpm-eku-unchecked': tpmCertificate(...LEAF, TPM_NAMES, WRITE_EXTENSION.extendedKeyUsage('1.3.6.1.5.5.7.3.2')),
  'tpm-certificate-ca': tpmCertificate(...CA, TPM_NAMES, TPM_PURPOSE),
  'tpm-aaguid-extension': tpmCertificate(...TPM_EXTENSIONS, WRITE_EXTENSION.aaguid(new Uint8Array(16).fill(9))),
  'tpm-rs1-refused': attesting(tpm({ rs1: true })),

  'android-key-signature-unchecked': attesting(androidKey({ signer: () => ec() })),
  'android-key-public-key-unchecked': attesting((made) => androidKey()({ ...made, pair: ec() })),
  'android-key-challenge-unchecked': attesting(androidKey({ challenge: other })),
  'android-key-all-applications': android([signing, allApplications, generated]),
  'android-key-all-applications-software': android([signing, generated], [allApplications]),
  'android-key-origin-unchecked': android([signing, imported]),
  'android-key-purpose-unchecked': android([decrypting, generated]),
  'android-key-software-refused': android([], [signing, generated]),

  'safetynet-signature-unchecked': attesting(safetyNet(NOW, { signature: Buffer.alloc(64, 1) })),
  'safetynet-algorithm-none': attesting(safetyNet(NOW, { header: { alg: 'none' }, signature: Buffer.alloc(0) })),
  'safetynet-nonce-unchecked': attesting(safetyNet(NOW, { payload: { nonce: other.toString('base64') } })),
  'safetynet-cts-unchecked': attesting(safetyNet(NOW, { payload: { ctsProfileMatch: false } })),
  'safetynet-hostname-unchecked': attesting(safetyNet(NOW, { host: 'evil.example' })),
  'safetynet-timestamp-unchecked': attesting(safetyNet(NOW - 86_400_000)),

  'apple-nonce-unchecked': attesting(apple({ nonce: other })),
  'apple-public-key-unchecked': attesting(apple({ pair: ec() })),

  'u2f-signature-unchecked': attesting(u2f({ signer: () => ec() })),
  'u2f-several-certificates': attesting(u2f({ chain: (leaf) => [leaf.der, above.der] })),
  'u2f-certificate-curve': attesting(u2f({ certificate: { pair: ec('P-384') } })),
  'u2f-may-omit-public-key': attesting(u2f({ signed: (data) => data.subarray(0, -65) })),
  'u2f-nonzero-aaguid-refused': attesting(u2f(), Buffer.alloc(16, 5)),

  'compound-one-statement': attesting(compound(self())),
  'compound-nested': attesting(compound(self(), compound(self(), packed()))),
  'compound-unverified': attesting(compound(self([], ec()), packed())),
} as const satisfies Record<string, Exchange>;
