import { concatBytes } from '../../../kernel/bytes.js';
import { FLAG, OFFSETS, RESERVED_FLAG_BITS } from '../../../webauthn/authenticator-data.js';
import { encodeCbor } from '../../../webauthn/cbor.js';
import { announceIdLength, append, CRED_PROTECT, cutAt, inOrder, setExtensions } from '../../engine/authenticator-data-edits.js';
import { because, type Case, listRows, type Rows } from '../../engine/case.js';
import { authenticationCase, type BothRow, both, registrationCase } from '../../engine/ceremony-cases.js';
import { appendByte, type ByteEdit, clearFlags, cutTo, type ResponseEdit, setFlags, setInner, setMembers } from '../../engine/edits.js';
import { denied, refused } from '../../engine/outcome.js';
import { DISCOVERABLE } from '../values.js';

const RESERVED = RESERVED_FLAG_BITS.reduce((mask, bit) => mask | (1 << bit), 0);

const VERIFIED = { userVerified: true, user_verified: true, uv: true, userVerification: true, verified: true };

/**
 * Claims user verification in unsigned members that careless servers have read: members of the credential, members of its response, and the
 * extension uvm.
 */
const claimVerified: ResponseEdit = (response) =>
  setMembers({ ...VERIFIED, clientExtensionResults: { ...VERIFIED, uvm: [[2, 4, 2]] } })(setInner(VERIFIED)(response));

const FLAGS: Rows<Omit<BothRow, 'what'>> = {
  'user-not-present': {
    title: 'no user presence',
    edits: { authenticatorData: clearFlags(FLAG.up) },
    why: 'Malware with access to an authenticator could make responses without its user. Refuse responses without the UP flag, even if UV is set.',
    code: 'user_not_present',
    step: 'user-present',
  },
  'user-not-verified': {
    title: 'user verification required but not performed',
    wants: { userVerification: 'required' },
    edits: { authenticatorData: clearFlags(FLAG.uv) },
    why: 'A thief of a device logs in without its PIN or its owner\'s fingerprint. If your options say userVerification "required", check the UV flag on the server: a client with manipulated options does not verify the user.',
    code: 'user_not_verified',
    step: 'user-verified',
  },
  'user-verified-in-json': {
    title: 'user verification required but not performed, and claimed in members that are not signed',
    wants: { userVerification: 'required' },
    edits: { authenticatorData: clearFlags(FLAG.uv), response: claimVerified },
    why: 'The page, and anyone who holds the device, can write any member of the JSON. Only the UV flag in the authenticator data is signed, so read it there.',
    code: 'user_not_verified',
    step: 'user-verified',
  },
  'backed-up-but-not-verified': {
    title: 'user verification required, and every other flag set',
    wants: { userVerification: 'required' },
    browser: { authenticator: { backupEligible: true, backupState: true } },
    edits: { authenticatorData: inOrder(clearFlags(FLAG.uv), setFlags(RESERVED)) },
    why: 'The flags are single bits, and UV is bit 2. A server that compares the whole byte, or reads another bit, mistakes a synced passkey for a verified user. Test the byte with the mask 0x04.',
    code: 'user_not_verified',
    step: 'user-verified',
  },
  'backup-state-without-eligibility': {
    title: 'backed up, but not backup eligible',
    edits: { authenticatorData: setFlags(FLAG.bs) },
    why: 'No conforming authenticator sends this, so nothing else in the response can be trusted. Refuse a response in which the BS flag is set but BE is not.',
    code: 'backup_state_invalid',
    step: 'backup-flags',
  },
};

const ELIGIBILITY =
  'A passkey is made either to stay on its device or to be backed up, and this never changes. A response with the other BE flag comes from another authenticator. Store the BE flag with the credential and compare it at every login.';

const LOGINS: readonly Case[] = [
  authenticationCase({
    id: 'login.user-not-verified-discoverable',
    title: 'user verification required but not performed, in a login that names no user',
    browser: DISCOVERABLE,
    wants: { userVerification: 'required', login: 'discoverable' },
    edits: { authenticatorData: clearFlags(FLAG.uv) },
    why: 'Login with autofill often has separate code from login with a form that names the user. Check the UV flag in one place, for every login whose options say userVerification "required".',
    expected: denied('user_not_verified', 'user-verified'),
  }),
  authenticationCase({
    id: 'login.backup-eligibility-gained',
    title: 'eligible for backup, although the passkey was not at its registration',
    edits: { authenticatorData: setFlags(FLAG.be) },
    why: ELIGIBILITY,
    expected: denied('backup_eligibility_changed', 'backup-eligibility'),
  }),
  authenticationCase({
    id: 'login.backup-eligibility-lost',
    title: 'no longer eligible for backup',
    browser: { authenticator: { backupEligible: true } },
    // A synced passkey has both, and BS without BE would be refused for that (§7.2 step 18).
    edits: { authenticatorData: clearFlags(FLAG.be | FLAG.bs) },
    why: ELIGIBILITY,
    expected: denied('backup_eligibility_changed', 'backup-eligibility'),
  }),
];

/** Cases about the flags of the authenticator data (§7.1 steps 15 to 17, §7.2 steps 16 to 19). */
export const FLAG_CASES: readonly Case[] = [
  ...listRows(FLAGS).flatMap(both),
  ...LOGINS,
  ...both({
    what: 'reserved-flags',
    step: 'user-present',
    title: 'flags that the standard reserves for later',
    edits: { authenticatorData: setFlags(RESERVED) },
    why: 'Authenticators that follow a later level of the standard may set these flags, and their users would be locked out. Read only the flags that you know.',
  }),
];

const MALFORMED = 'authenticator_data_malformed';
/** For each ceremony, the slug of the step that reads the authenticator data first. */
const STEPS = { registration: 'attestation-object', authentication: 'rp-id-hash' } as const;

interface LayoutRow extends Pick<BothRow, 'title' | 'why'> {
  readonly edit: ByteEdit;
}

const SHORT =
  'Reading past the end causes a 500, or yields values that were never sent. Check the length before you read each part of the authenticator data, and refuse data shorter than 37 bytes.';
const LONG =
  'Such bytes are signed, but no check reads them, and two parsers can disagree about the data. Refuse authenticator data that continue after their last part.';
const EXTENSIONS =
  'Extension outputs are a single CBOR map, which is present if and only if the ED flag is set. Decode the whole map if the flag is set, and refuse anything else.';

/** Layout faults that are possible in a registration and in a login. */
const ROWS: Rows<LayoutRow> = {
  ...because<LayoutRow>(SHORT, {
    'authenticator-data-empty': { title: 'authenticator data of no bytes', edit: cutTo(0) },
    'authenticator-data-hash-only': { title: 'authenticator data that ends after the RP ID hash', edit: cutTo(OFFSETS.flags) },
    'authenticator-data-cut': { title: 'authenticator data that ends within the counter', edit: cutTo(OFFSETS.signCount + 2) },
  }),
  ...because<LayoutRow>(LONG, {
    'authenticator-data-trailing-byte': { title: 'a byte after the authenticator data', edit: appendByte(0) },
    'authenticator-data-doubled': { title: 'the authenticator data twice', edit: (bytes) => concatBytes(bytes, bytes) },
  }),
  ...because<LayoutRow>(EXTENSIONS, {
    'extensions-missing': { title: 'the flag of extension data, but no extension data', edit: setFlags(FLAG.ed) },
    'extensions-unflagged': { title: 'extension data without the flag that announces them', edit: append(CRED_PROTECT) },
    'extensions-not-a-map': { title: 'extension data that are a list', edit: setExtensions(encodeCbor(['credProtect', 1])) },
    'extensions-cut': { title: 'extension data that end early', edit: setExtensions(CRED_PROTECT.slice(0, -1)) },
  }),
  'extensions-followed': {
    title: 'a byte after the extension data',
    edit: inOrder(setExtensions(CRED_PROTECT), appendByte(0)),
    why: LONG,
  },
};

const NO_CREDENTIAL =
  'Without attested credential data there is no credential to store. A server that goes on stores an empty one, or fails with a 500. Refuse a registration whose AT flag is not set, and read the data only if it is.';
const CUT_CREDENTIAL =
  'The credential ID announces its length, and the public key is CBOR. A parser that trusts either reads past the end, which causes a 500 or stores a meaningless credential. Check both lengths against the bytes that are left.';

const REGISTRATIONS: Rows<LayoutRow> = {
  ...because<LayoutRow>(NO_CREDENTIAL, {
    'no-attested-credential': {
      title: 'authenticator data without attested credential data',
      edit: inOrder(cutTo(OFFSETS.aaguid), clearFlags(FLAG.at)),
    },
    'attested-credential-missing': { title: 'the flag of attested credential data, but none of it', edit: cutTo(OFFSETS.aaguid) },
    'attested-credential-unflagged': {
      title: 'attested credential data without the flag that announces it',
      edit: clearFlags(FLAG.at),
    },
  }),
  ...because<LayoutRow>(CUT_CREDENTIAL, {
    'attested-credential-cut': { title: 'attested credential data that end within the AAGUID', edit: cutTo(OFFSETS.aaguid + 8) },
    'credential-id-length-beyond': {
      title: 'a credential ID that is announced as longer than all the data',
      edit: announceIdLength(0xffff),
    },
    'public-key-missing': {
      title: 'attested credential data that end after the credential ID',
      edit: cutAt(({ credentialId }) => credentialId),
    },
    'public-key-cut': { title: 'a public key that ends early', edit: cutAt(({ publicKey }) => publicKey - 1) },
  }),
};

/** Cases with authenticator data that break the layout of §6.1 (§7.1 step 13, §7.2 step 15). */
export const LAYOUTS: readonly Case[] = [
  ...listRows(ROWS).flatMap(({ edit, ...row }) => both({ ...row, edits: { authenticatorData: edit }, code: MALFORMED, step: STEPS })),
  ...listRows(REGISTRATIONS).map(({ what, edit, ...row }) =>
    registrationCase({
      ...row,
      id: `register.${what}`,
      edits: { authenticatorData: edit },
      expected: refused(MALFORMED, STEPS.registration),
    }),
  ),
  authenticationCase({
    id: 'login.attested-credential-announced',
    title: 'the flag of attested credential data in an assertion without any',
    edits: { authenticatorData: setFlags(FLAG.at) },
    why: CUT_CREDENTIAL,
    expected: denied(MALFORMED, STEPS.authentication),
  }),
];
