import { FAULTS, type FaultId } from './faults.js';
import { SETTINGS, type SettingName, settingOf } from './settings.js';

/** Settings of a party that takes one attestation statement format, by the beginning of the faults of that format. */
const ATTESTING = {
  packed: 'packed',
  packedUnassessed: 'packed',
  packedSelf: 'packed',
  fidoU2f: 'u2f',
  fidoU2fUnassessed: 'u2f',
  tpm: 'tpm',
  tpmUnassessed: 'tpm',
  androidKey: 'android-key',
  androidKeyUnassessed: 'android-key',
} as const satisfies Partial<Record<SettingName, string>>;

type AttestingSetting = keyof typeof ATTESTING;
const isAttesting = (name: string): name is AttestingSetting => Object.hasOwn(ATTESTING, name);
export const ATTESTING_SETTINGS: readonly AttestingSetting[] = Object.keys(SETTINGS).filter(isAttesting);

const OF_A_FORMAT = /^(?:packed|tpm|android-key|safetynet|apple|u2f|compound)-/;

interface Exception {
  /** Why the fault cannot show, or why the catalogue does not show it. */
  readonly reason: string;
  readonly settings: readonly AttestingSetting[];
  readonly faults: readonly FaultId[];
}

const PACKED = ['packed', 'packedUnassessed', 'packedSelf'] as const;
const TPM = ['tpm', 'tpmUnassessed'] as const;
const U2F = ['fidoU2f', 'fidoU2fUnassessed'] as const;
const ANDROID_KEY = ['androidKey', 'androidKeyUnassessed'] as const;
const WITH_ROOTS = ['packed', 'fidoU2f', 'tpm', 'androidKey'] as const;
const WITHOUT_ROOTS = ['packedUnassessed', 'packedSelf', 'fidoU2fUnassessed', 'tpmUnassessed', 'androidKeyUnassessed'] as const;

/** Faults that no case shows in a setting. */
const EXCEPTIONS: readonly Exception[] = [
  {
    reason: 'it is about registrations without attestation, which are refused for their format',
    settings: ATTESTING_SETTINGS,
    faults: ['none-statement-not-empty', 'none-trusted', 'aaguid-must-be-zero'],
  },
  {
    reason: 'the statement signs the authenticator data, and does not verify with those of a changed copy',
    settings: [...PACKED, ...TPM, ...ANDROID_KEY],
    faults: ['authenticator-data-from-unsigned-copy'],
  },
  {
    reason: 'a statement that passes for none leads to no root, and is refused for that',
    settings: WITH_ROOTS,
    faults: ['unknown-format-accepted', 'format-case-folded'],
  },
  {
    reason: 'the catalogue writes the name of the format packed in capitals, and that of no other',
    settings: ['fidoU2fUnassessed', 'tpmUnassessed', 'androidKeyUnassessed'],
    faults: ['format-case-folded'],
  },
  {
    reason: 'no certificate is held against a root',
    settings: WITHOUT_ROOTS,
    faults: [
      'trust-unassessed',
      'trust-first-root-only',
      'trust-by-name',
      'trust-in-sent-root',
      'trust-leaf-signature-unchecked',
      'chain-expired',
      'chain-not-yet-valid',
      'chain-issuer-not-ca',
      'chain-path-length',
      'chain-with-root-refused',
    ],
  },
  { reason: 'self attestation is accepted by the correct party too', settings: WITHOUT_ROOTS, faults: ['self-attestation-trusted'] },
  {
    reason: 'self attestation is of the format packed, which is refused',
    settings: ['fidoU2f', 'tpm', 'androidKey'],
    faults: ['self-attestation-trusted'],
  },
  {
    reason: 'a path has the same rules in every format: the catalogue tries most of them with packed',
    settings: ['fidoU2f', 'tpm', 'androidKey'],
    faults: ['chain-not-yet-valid', 'chain-issuer-not-ca', 'chain-path-length', 'chain-with-root-refused'],
  },
  { reason: 'the chain of U2F is one certificate', settings: ['fidoU2f'], faults: ['trust-in-sent-root'] },
  {
    reason: 'self attestation is verified, and then refused all the same',
    settings: ['packed'],
    faults: ['packed-empty-x5c', 'packed-ecdaa-unverified'],
  },
  {
    reason: 'an unknown critical extension is refused on the path as well',
    settings: ['packed'],
    faults: ['packed-aaguid-extension-critical'],
  },
  {
    reason: 'every certificate is refused',
    settings: ['packedSelf'],
    faults: [
      'packed-signed-by-credential',
      'packed-may-omit-client-data',
      'packed-algorithm-ignored',
      'packed-certificate-version',
      'packed-subject-country',
      'packed-subject-organization',
      'packed-subject-unit',
      'packed-subject-common-name',
      'packed-certificate-ca',
      'packed-aaguid-extension',
      'packed-aaguid-extension-critical',
      'packed-aaguid-extension-required',
      'malformed-certificate-crashes',
    ],
  },
  {
    reason: 'the statement is signed with the credential key, which is on another curve',
    settings: ['packedUnassessed', 'packedSelf', ...ANDROID_KEY],
    faults: ['curve-unchecked', 'okp-curve-unchecked'],
  },
  {
    reason: 'the statement is signed with the credential key, which does not sign by that algorithm',
    settings: ['packedUnassessed', 'packedSelf'],
    faults: ['key-type-unchecked'],
  },
  {
    reason: 'to verify the statement, the party must read the credential public key',
    settings: ['packedUnassessed', 'packedSelf', ...U2F, ...TPM, ...ANDROID_KEY],
    faults: ['key-not-imported'],
  },
  {
    reason: 'U2F has one algorithm, ES256',
    settings: U2F,
    faults: [
      'algorithm-unchecked',
      'algorithm-of-server',
      'curve-unchecked',
      'okp-curve-unchecked',
      'rsa-padding-unbound',
      'rs256-refused',
      'eddsa-refused',
      'hash-always-sha256',
      'fully-specified-refused',
    ],
  },
  { reason: 'TPMs have no keys on Edwards curves', settings: TPM, faults: ['eddsa-refused', 'okp-curve-unchecked'] },
  {
    reason: 'clients leave no statement of this format where none was asked for',
    settings: [...U2F, ...TPM, ...ANDROID_KEY],
    faults: ['statement-unasked-refused'],
  },
  {
    reason: 'the catalogue cuts a certificate in the format packed, which is refused',
    settings: [...U2F, ...ANDROID_KEY],
    faults: ['malformed-certificate-crashes'],
  },
];

/** The faults that a setting is tried with: those of the plain party, but for those in the procedure of another format. */
export function listTried(setting: AttestingSetting): readonly FaultId[] {
  const own = `${ATTESTING[setting]}-`;
  return FAULTS.map(({ id }) => id).filter(
    (id) => ['plain', 'untrusting'].includes(settingOf(id)) && (!OF_A_FORMAT.test(id) || id.startsWith(own)),
  );
}

/** Says why no case shows a fault; undefined: some case must. */
export function whyHidden(setting: AttestingSetting, fault: FaultId): string | undefined {
  return EXCEPTIONS.find(({ settings, faults }) => settings.includes(setting) && faults.includes(fault))?.reason;
}
