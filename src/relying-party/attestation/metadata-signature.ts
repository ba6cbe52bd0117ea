import { type Certificate, decodeCertificate } from '../../webauthn/certificate.js';
import { nameAttributes, showName } from '../../webauthn/distinguished-name.js';
import { showText } from '../show.js';
import { checkChain } from './chain.js';
import { type Jws, verifyJws } from './jws.js';
import { importSubjectKey } from './signature.js';
import { attempt, decide, judge, type Requirement, type SubCheck } from './sub-check.js';
import { assessTrust } from './trust.js';

interface MetadataSignature {
  /** Result of each requirement on the signature. If one has failed, the BLOB must not be used. */
  readonly checks: readonly SubCheck[];
  readonly signer: Certificate | undefined;
}

const SIGNER_NAME = 'mds.fidoalliance.org';

const X5C: Requirement = {
  slug: 'metadata-certificates',
  reference: 'FIDO Metadata Service 3.1, Metadata BLOB',
  expected: 'x5c in the header: the certificate of the signer first, in base64 of DER',
  hint: 'Use the file as https://mds3.fidoalliance.org/ serves it; certificates at an x5u are not fetched.',
};
const SIGNATURE: Requirement = {
  slug: 'metadata-signature',
  reference: 'FIDO Metadata Service 3.1, object processing rules',
  expected: 'a signature by the first certificate of x5c',
  hint: 'The file was changed or cut after it was signed. Download it again.',
};
const ANCHOR: Requirement = {
  slug: 'metadata-trust-anchor',
  reference: 'FIDO Metadata Service 3.1, object processing rules',
  expected: 'a chain from x5c to the given root',
  hint: 'Give the root that signs the BLOB. The FIDO Alliance uses GlobalSign Root R3.',
};
const SIGNER: Requirement = {
  slug: 'metadata-signer',
  reference: 'FIDO Metadata Service 3.1, object processing rules',
  expected: `a signer with the name ${SIGNER_NAME}`,
  hint: 'The root vouches for the signer, but it is not the metadata service of the FIDO Alliance.',
};

/** Hints for the checks of a BLOB's certificate chain, by slug of the check. The hints for the chain of an attestation are different. */
const CHAIN_HINTS: Readonly<Record<string, string>> = {
  'chain-validity': 'Verify as of a time when the BLOB was in use, or download a new one.',
  'chain-signatures': 'x5c must contain the certificate of the signer, followed in order by those that lead from it to the root.',
};

/**
 * Verifies the signature of a metadata BLOB, and that the certificate chain of its signer leads to one of `roots` at the time `at`
 * (milliseconds since the epoch).
 */
export function checkMetadataSignature(jws: Jws, roots: readonly Certificate[], at: number): MetadataSignature {
  const read = attempt(() => jws.x5c.map((der) => decodeCertificate(der)));
  const [signer] = read.ok ? read.value : [];
  if (!read.ok || signer === undefined) {
    return { checks: [decide(X5C, 'fail', read.ok ? 'none' : read.message)], signer };
  }
  const chain = checkChain(read.value, at).map((check) => {
    const hint = check.hint && CHAIN_HINTS[check.slug];
    return hint === undefined ? check : { ...check, hint };
  });
  return { checks: [checkSignature(jws, signer), ...chain, checkAnchor(read.value, roots, at), checkSigner(signer)], signer };
}

function checkSignature(jws: Jws, signer: Certificate): SubCheck {
  const key = importSubjectKey(signer.publicKey);
  const verdict = key === undefined ? 'unsupported' : verifyJws(jws, key);
  const received = `${verdict === 'unsupported' ? 'an unknown algorithm or key' : `${verdict} signature`}, ${showText(jws.alg)}`;
  return judge(SIGNATURE, verdict === 'valid', received);
}

function checkAnchor(chain: readonly Certificate[], roots: readonly Certificate[], at: number): SubCheck {
  const { status, check } = assessTrust(chain, roots, at);
  return judge(ANCHOR, status === 'trusted', check.received);
}

function checkSigner({ subject, extensions }: Certificate): SubCheck {
  const common = nameAttributes(subject).flatMap(({ name, text }) => (name === 'CN' ? text : []));
  const alternative = (extensions.subjectAltName ?? []).flatMap((name) => (name.kind === 'dns' ? name.text : []));
  const isFido = [...common, ...alternative].some((name) => name.toLowerCase() === SIGNER_NAME);
  return decide(SIGNER, isFido ? 'pass' : 'warn', [showName(subject), ...alternative].join(', '));
}
