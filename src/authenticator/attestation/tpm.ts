import { createHash } from 'node:crypto';
import { findAlgorithm } from '../../webauthn/algorithms.js';
import type { CborValue } from '../../webauthn/cbor.js';
import { TPM_AIK_PURPOSE } from '../../webauthn/certificate-extensions.js';
import { directoryName, named, WRITE_EXTENSION } from '../../webauthn/certificate-writer.js';
import { ES256, RS1, type RsaAlgorithm } from './attestation-key.js';
import { type AttestationAuthority, rememberBatch } from './authority.js';
import { type AttestationFormat, attToBeSigned } from './format.js';
import { fitsTpm, nameOf, type ObjectAttributes, qualifiedNameOf, type TpmClock, writeAttest, writePublicArea } from './tpm-writer.js';

/** What a TPM says of itself; the defaults are those of a test vendor of the FIDO Alliance. */
export interface TpmAttestationOptions extends Partial<ObjectAttributes>, Partial<TpmClock> {
  /** COSEAlgorithmIdentifier of the attestation identity key: ES256, RS256 or RS1; default ES256. */
  readonly aikAlgorithm?: typeof ES256 | RsaAlgorithm;
  /** `id:` and the vendor ID of the TCG registry in hexadecimal. */
  readonly manufacturer?: string;
  readonly model?: string;
  /** `id:` and the firmware version in hexadecimal. */
  readonly version?: string;
  /** Whether certInfo has the qualified names, which verifiers do not look at; default true. */
  readonly qualifiedNames?: boolean;
}

/** fixedTPM, fixedParent, sensitiveDataOrigin, userWithAuth, noDA, decrypt and sign: as Windows Hello makes them. */
const CREDENTIAL_KEY: ObjectAttributes = { attributes: 0x00060472, authPolicy: new Uint8Array(32) };
const CLOCK: TpmClock = { clock: 0n, resetCount: 1, restartCount: 0, safe: 1, firmwareVersion: 0n };

/** §8.3: a TPM certifies that it holds the credential key. Of RSA keys, and EC keys on the curves of NIST. */
export function tpmAttestation(authority: AttestationAuthority, options: TpmAttestationOptions = {}): AttestationFormat {
  const { aikAlgorithm = ES256, attributes, authPolicy, manufacturer, model, version, qualifiedNames = true, ...clock } = options;
  const identity = rememberBatch(async (aaguid: Uint8Array) => {
    const key = aikAlgorithm === ES256 ? authority.key('tpm', aaguid) : await authority.rsaKey('tpm', aaguid, aikAlgorithm);
    const extensions = [
      WRITE_EXTENSION.extendedKeyUsage(TPM_AIK_PURPOSE),
      WRITE_EXTENSION.subjectAltName(
        true,
        directoryName(
          named('tpmManufacturer', manufacturer ?? 'id:FFFFF1D0'),
          named('tpmModel', model ?? 'passkey TEST TPM'),
          named('tpmVersion', version ?? 'id:00000001'),
        ),
      ),
    ];
    return { key, x5c: authority.certify('tpm', { publicKey: key.publicKey, subject: aaguid, name: [], extensions }) };
  });
  return {
    fmt: 'tpm',
    deterministic: true,
    attests: (algorithm) => fitsTpm(findAlgorithm(algorithm) ?? { kty: 0 }),
    statement: async (input) => {
      const { key, x5c } = await identity(input.aaguid);
      const pubArea = writePublicArea(input.credentialPublicKey, {
        attributes: attributes ?? CREDENTIAL_KEY.attributes,
        authPolicy: authPolicy ?? CREDENTIAL_KEY.authPolicy,
      });
      const extraData = createHash(key.algorithm === RS1 ? 'sha1' : 'sha256')
        .update(attToBeSigned(input))
        .digest();
      const name = nameOf(pubArea);
      const qualified = {
        // Nobody can check the name of the signer without its public area, so its public key stands for that.
        signer: qualifiedNames ? qualifiedNameOf(nameOf(key.publicKey)) : new Uint8Array(),
        object: qualifiedNames ? qualifiedNameOf(name) : new Uint8Array(),
      };
      const certInfo = writeAttest(name, new Uint8Array(extraData), { ...CLOCK, ...clock }, qualified);
      return new Map<CborValue, CborValue>([
        ['ver', '2.0'],
        ['alg', key.algorithm],
        ['x5c', [...x5c]],
        ['sig', key.sign(certInfo)],
        ['certInfo', certInfo],
        ['pubArea', pubArea],
      ]);
    },
  };
}
