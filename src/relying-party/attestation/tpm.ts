import { createHash, type KeyObject } from 'node:crypto';
import { concatBytes, equalBytes, toHex } from '../../kernel/bytes.js';
import { count } from '../../kernel/wording.js';
import { findAlgorithm } from '../../webauthn/algorithms.js';
import { type CoseKey } from '../../webauthn/cose-key.js';
import { ecdsaSignature } from '../../webauthn/der-writer.js';
import { TPM_ALG, TPM_GENERATED_VALUE, TPM_ST_ATTEST_CERTIFY } from '../../webauthn/tpm.js';
import { showBytes, showNumber, showText } from '../show.js';
import { checkAaguid } from './certificate-requirements.js';
import { verifyCertified } from './certified.js';
import { digestName, importSubjectKey, signatureChecks, verifySignature } from './signature.js';
import { readCredentialKey, type StatementFinding, type StatementInput, signedBytes } from './statement.js';
import { attempt, decide, judge, type Requirement, type SubCheck } from './sub-check.js';
import { checkAikCertificate } from './tpm-certificate.js';
import { type Attest, type PublicArea, readAttest, readPublicArea, readTpmSignature } from './tpm-structures.js';

const REFERENCE = '§8.3';

const VERSION: Requirement = {
  slug: 'version',
  reference: REFERENCE,
  expected: 'ver "2.0"',
  hint: 'Only TPM 2.0 makes statements of this format.',
};
const PUB_AREA: Requirement = {
  slug: 'pub-area',
  reference: `${REFERENCE}; TPM 2.0 Part 2 §12.2.4`,
  expected: 'pubArea as one TPMT_PUBLIC',
  hint: 'pubArea is malformed.',
};
const PUBLIC_KEY: Requirement = {
  slug: 'public-key',
  reference: REFERENCE,
  expected: 'the credential public key in pubArea',
  hint: 'The TPM certified another key than that of the credential.',
};
const CERT_INFO: Requirement = {
  slug: 'cert-info',
  reference: `${REFERENCE}; TPM 2.0 Part 2 §10.12.8`,
  expected: 'certInfo as one TPMS_ATTEST',
  hint: 'certInfo is malformed.',
};
const MAGIC: Requirement = {
  slug: 'magic',
  reference: REFERENCE,
  expected: `magic TPM_GENERATED_VALUE (${showNumber(TPM_GENERATED_VALUE, 8)})`,
  hint: 'certInfo was not made by a TPM.',
};
const TYPE: Requirement = {
  slug: 'type',
  reference: REFERENCE,
  expected: `type TPM_ST_ATTEST_CERTIFY (${showNumber(TPM_ST_ATTEST_CERTIFY, 4)})`,
  hint: 'The TPM attested something other than a key.',
};
const EXTRA_DATA: Requirement = {
  slug: 'extra-data',
  reference: REFERENCE,
  expected: 'extraData: the hash, by the hash algorithm of alg, of authenticator data and client data hash',
  hint: 'The statement was made for other authenticator data or client data.',
};
const NAME: Requirement = {
  slug: 'name',
  reference: `${REFERENCE}; TPM 2.0 Part 1 §16`,
  expected: 'name of attested: the Name of pubArea',
  hint: 'The TPM certified another key than the one in pubArea.',
};
/**
 * Hashes that a TPM Name may use, by TPM_ALG_ID. SHA-1 is not allowed: a Name must identify its public area, and SHA-1 collisions can be
 * computed.
 */
const HASHES: ReadonlyMap<number, string> = new Map([
  [TPM_ALG.sha256, 'sha256'],
  [TPM_ALG.sha384, 'sha384'],
  [TPM_ALG.sha512, 'sha512'],
]);

/** Verifies a TPM attestation statement (§8.3). */
export function verifyTpm(input: StatementInput): StatementFinding {
  return verifyCertified(input, {
    reference: REFERENCE,
    attestationType: 'attca',
    shape: { ver: 'text', alg: 'integer', x5c: 'certificates', sig: 'bytes', certInfo: 'bytes', pubArea: 'bytes' },
    before: ({ ver }) => [judge(VERSION, ver === '2.0', showText(ver))],
    judge: ([aik], members) => {
      const key = importSubjectKey(aik.publicKey);
      return [
        ...checkPublicArea(input, members.pubArea),
        ...checkCertInfo(input, members),
        ...signatureChecks({
          alg: members.alg,
          key,
          owner: 'the AIK certificate',
          data: members.certInfo,
          over: 'certInfo',
          signature: plainSignature(members, key),
          reference: REFERENCE,
        }),
        ...checkAikCertificate(aik),
        ...checkAaguid(aik, input.credential.aaguid, REFERENCE),
      ];
    },
  });
}

function checkPublicArea(input: StatementInput, pubArea: Uint8Array): SubCheck[] {
  const { check: credentialReadable, key } = readCredentialKey(input);
  const area = attempt(() => readPublicArea(pubArea));
  const readable = judge(PUB_AREA, area.ok, area.ok ? count(pubArea.length, 'byte') : area.message);
  if (!area.ok || key === undefined) {
    return [readable, credentialReadable];
  }
  const same = isSameKey(area.value, key);
  return [readable, credentialReadable, judge(PUBLIC_KEY, same, same ? 'the same key' : 'another key')];
}

function isSameKey({ key: area }: PublicArea, key: CoseKey): boolean {
  if (area.kty === 3) {
    return key.kty === 3 && equalBytes(area.n, key.n) && BigInt(area.e) === BigInt(`0x${toHex(key.e)}`);
  }
  return key.kty === 2 && area.crv === key.crv && equalBytes(area.x, key.x) && equalBytes(area.y, key.y);
}

function checkCertInfo(input: StatementInput, members: { alg: number; certInfo: Uint8Array; pubArea: Uint8Array }): SubCheck[] {
  const info = attempt(() => readAttest(members.certInfo));
  const readable = judge(CERT_INFO, info.ok, info.ok ? count(members.certInfo.length, 'byte') : info.message);
  if (!info.ok) {
    return [readable];
  }
  const { magic, type } = info.value;
  return [
    readable,
    judge(MAGIC, magic === TPM_GENERATED_VALUE, showNumber(magic, 8)),
    judge(TYPE, type === TPM_ST_ATTEST_CERTIFY, showNumber(type, 4)),
    checkExtraData(input, info.value, members.alg),
    checkName(info.value, members.pubArea),
  ];
}

function checkExtraData(input: StatementInput, { extraData }: Attest, alg: number): SubCheck {
  const algorithm = findAlgorithm(alg);
  if (algorithm === undefined) {
    return decide(EXTRA_DATA, 'skip', `an unknown algorithm (${alg})`);
  }
  const hash = digestName(algorithm.hash);
  if (hash === null) {
    return decide(EXTRA_DATA, 'fail', `an algorithm without a hash (${alg})`);
  }
  const digest = createHash(hash).update(signedBytes(input)).digest();
  return judge(EXTRA_DATA, equalBytes(extraData, digest), showBytes(extraData));
}

/**
 * Checks the Name of the attested object. It must be the algorithm identifier nameAlg, followed by the hash of the public area with that
 * algorithm.
 */
function checkName({ name }: Attest, pubArea: Uint8Array): SubCheck {
  const area = attempt(() => readPublicArea(pubArea));
  if (name === undefined || !area.ok) {
    return decide(NAME, 'skip', name === undefined ? 'certInfo is of another type' : 'pubArea is malformed');
  }
  const { nameAlg } = area.value;
  const hash = HASHES.get(nameAlg);
  if (hash === undefined) {
    return judge(NAME, false, `a nameAlg that makes no Name here (${showNumber(nameAlg, 4)})`);
  }
  const expected = concatBytes(Uint8Array.of(nameAlg >> 8, nameAlg & 0xff), createHash(hash).update(pubArea).digest());
  return judge(NAME, equalBytes(name, expected), showBytes(name));
}

/**
 * Extracts the signature from a TPMT_SIGNATURE structure. §8.3 says that `sig` is such a structure, but also that `alg` decides how to
 * verify it. Authenticators and the test vectors of the standard send the signature itself instead, ECDSA in DER. So the structure is
 * unpacked only if `sig` as it is does not verify.
 */
function plainSignature(
  { alg, sig, certInfo }: { alg: number; sig: Uint8Array; certInfo: Uint8Array },
  key: KeyObject | undefined,
): Uint8Array {
  const structure = attempt(() => readTpmSignature(sig));
  if (!structure.ok || verifySignature(alg, key, certInfo, sig) === 'valid') {
    return sig;
  }
  return structure.value.kind === 'rsa' ? structure.value.signature : ecdsaSignature(structure.value.r, structure.value.s);
}
