import type { CaseResult } from '../report/report.js';

/** A fault of a library that no application can fix, and the cases that fail because of it. */
interface LibraryFault {
  /** Describes the fault, worded to follow the name of the library. */
  readonly says: string;
  readonly cases: readonly string[];
  /** The first version that has the fault; default: the first version tested. */
  readonly since?: string;
  /** The first version without the fault. A fault that no version has fixed is listed only if no attack that uses it is known. */
  readonly fixedIn?: string;
}

const IMPORT = 'does not import the key of a registration, unless it verifies a statement with it';

const SELF_ALGORITHM = 'does not compare alg of self attestation with the algorithm of the credential (§8.2)';

const CEREMONIES: readonly LibraryFault[] = [
  {
    says: IMPORT,
    cases: [
      'register.public-key-off-curve',
      'register.public-key-zero',
      'register.public-key-without-kty',
      'register.public-key-without-curve',
      'register.public-key-without-x',
      'register.public-key-without-y',
      'register.public-key-compressed',
      'register.public-key-long-coordinate',
      'register.public-key-short-coordinate',
      'register.public-key-other-curve',
      'register.public-key-of-other-type',
      'register.public-key-algorithm-of-rsa',
      'register.eddsa-key-short',
      'register.eddsa-key-long',
      'register.eddsa-key-of-ed448',
    ],
  },
  { says: 'takes credential IDs of more than 1023 bytes (§7.1 step 25)', cases: ['register.credential-id-too-long'] },
  { says: 'reads CBOR that ends too early', cases: ['register.attestation-object-cut', 'register.public-key-cut'] },
  { says: 'does not look behind the attestation object', cases: ['register.attestation-object-trailing-byte'] },
  {
    says: 'reads the signature as BER, and not to its end (§6.5.5)',
    cases: [
      'login.signature-trailing-byte',
      'login.signature-doubled',
      'login.signature-long-length',
      'login.signature-third-number',
      'login.signature-indefinite-length',
      'login.signature-negative',
    ],
  },
  { says: SELF_ALGORITHM, cases: ['register.packed-unasked-self-algorithm'] },
];

const STATEMENTS: readonly LibraryFault[] = [
  { says: SELF_ALGORITHM, cases: ['register.packed-self-algorithm', 'register.packed-self-algorithm-padding'] },
  {
    says: 'takes the hash from alg, and all else from the key of the certificate (§8.2, §8.3)',
    cases: ['register.packed-algorithm', 'register.tpm-algorithm'],
  },
  { says: 'takes x5c null for none (§8.2: it is absent, or an array)', cases: ['register.packed-null-x5c'] },
  { says: 'does not look whether the extension with the AAGUID is critical (§8.2.1)', cases: ['register.packed-aaguid-critical'] },
  { says: 'looks at one of two extensions with an AAGUID (§8.2; RFC 5280 §4.2)', cases: ['register.packed-aaguid-twice'] },
  {
    says: 'takes the hash of the Name from the Name, not from nameAlg of pubArea (§8.3)',
    cases: ['register.tpm-name-of-other-hash', 'register.tpm-name-of-unknown-hash'],
  },
  {
    says: 'reads the parameters of a pubArea as if no scheme ever had a hash (§8.3; TPM 2.0 Part 2 §12.2.3.6)',
    cases: ['register.tpm-scheme-named'],
  },
  { says: 'looks at the first purpose of an AIK certificate only (§8.3.1)', cases: ['register.tpm-several-purposes'] },
  { says: 'takes more than one certificate (§8.6)', cases: ['register.fido-u2f-two-certificates'] },
  { says: 'does not look at the key of the certificate (§8.6)', cases: ['register.fido-u2f-certificate-of-rsa'], since: '14.0.1' },
  { says: 'does not look at the length of the coordinates (§8.6)', cases: ['register.fido-u2f-credential-of-p384'] },
];

/** Faults that a later version of the library has fixed. */
const MENDED: readonly LibraryFault[] = [
  {
    says: 'does not look at topOrigin at a login (§7.2 step 14)',
    cases: ['login.top-origin-without-cross-origin', 'login.top-origin-own'],
    fixedIn: '14.0.0',
  },
  {
    says: 'takes the hash of a signature from the curve of the certificate (§8.2; RFC 5280 §4.1.1.2)',
    cases: ['register.packed-algorithm-other-hash', 'register.packed-issued-by-p384', 'register.packed-key-of-p384'],
    fixedIn: '13.3.1',
  },
  {
    says: 'refuses attestation keys of RSA beside a credential on a curve (§8.2, §8.3)',
    cases: ['register.packed-key-of-rsa', 'register.tpm-of-rs256'],
    fixedIn: '14.0.1',
  },
];

/** Faults in how the library verifies certificate paths to the configured roots. */
const PATHS: readonly LibraryFault[] = [
  {
    says: 'looks at neither basic constraints nor key usage nor unknown critical extensions of a path (RFC 5280 §6.1)',
    cases: [
      'register.packed-issuer-no-ca',
      'register.packed-issuer-without-basic-constraints',
      'register.packed-issuer-without-cert-sign',
      'register.packed-path-too-long',
      'register.packed-unknown-critical-extension',
    ],
  },
  { says: 'refuses a path that ends with the trusted root itself', cases: ['register.packed-with-root'] },
  {
    says: 'takes a path of an Android key with its root only (§8.4 does not ask for it)',
    cases: ['register.android-key-without-root', 'register.android-key-issued-by-root'],
  },
  {
    says: 'does not look at origin and purpose of an Android key (§8.4)',
    cases: [
      'register.android-key-origin-imported',
      'register.android-key-origin-securely-imported',
      'register.android-key-origin-unknown',
      'register.android-key-origin-imported-by-software',
      'register.android-key-without-origin',
      'register.android-key-purpose-encryption',
      'register.android-key-purpose-encryption-by-software',
      'register.android-key-without-purpose',
    ],
  },
  { says: 'reads no RSA key beside a statement of Android (§8.4)', cases: ['register.android-key-of-rs256'] },
];

/** A library and its faults. A test demonstrates each fault in the last version that has it. */
interface FaultyLibrary {
  readonly name: string;
  /** The first and the last version tested. Newer versions are not blamed, because they may have fixed the faults. */
  readonly versions: readonly [from: string, to: string];
  readonly faults: readonly LibraryFault[];
}

export const FAULTY_LIBRARIES: readonly FaultyLibrary[] = [
  {
    name: '@simplewebauthn/server',
    versions: ['13.0.0', '14.0.3'],
    faults: [...CEREMONIES, ...STATEMENTS, ...PATHS.map((fault) => ({ ...fault, since: '14.0.0' })), ...MENDED],
  },
];

/** The library that a target uses, as its profile names it. */
interface Library {
  readonly name: string;
  readonly version?: string | undefined;
}

/**
 * Finds the library fault that explains a failed case, and returns it as members for the case's result. Returns no members if there is no
 * known fault.
 */
export function findLibraryFault(library: Library | undefined, id: string): Pick<CaseResult, 'library' | 'fixed_in'> {
  const { name, version } = library ?? {};
  if (name === undefined || version === undefined) return {};
  const isAfter = (other: string) => compareVersions(version, other) > 0;
  const isBefore = (other: string) => compareVersions(version, other) < 0;
  const known = FAULTY_LIBRARIES.find(({ name: other, versions: [from, to] }) => name === other && !isBefore(from) && !isAfter(to));
  const fault = known?.faults.find(
    ({ cases, since, fixedIn }) =>
      cases.includes(id) && (since === undefined || !isBefore(since)) && (fixedIn === undefined || isBefore(fixedIn)),
  );
  if (fault === undefined) return {};
  const { says, fixedIn } = fault;
  return { library: `${name} ${version} ${says}`, ...(fixedIn !== undefined && { fixed_in: fixedIn }) };
}

/** Compares two version numbers by their first difference. `14` means every 14.x, and `14.0.0-beta.1` counts as 14.0.0. */
function compareVersions(one: string, other: string): number {
  const numbers = other.split('.');
  const release = one.replace(/[-+].*$/, '').split('.');
  const index = release.findIndex((number, place) => number !== numbers[place]);
  return index === -1 ? 0 : Number(release[index]) - Number(numbers[index] ?? 0);
}
