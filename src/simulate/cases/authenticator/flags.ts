import { FLAG, RESERVED_FLAG_BITS } from '../../../webauthn/authenticator-data.js';
import { inOrder } from '../../engine/authenticator-data-edits.js';
import { bothAccepted, bothRefused, type FaultRow } from '../../engine/both-ceremonies.js';
import type { Case } from '../../engine/case.js';
import { authenticationCase } from '../../engine/ceremony-cases.js';
import { clearFlags, setFlags } from '../../engine/edits.js';
import { denied } from '../../engine/outcome.js';

const RESERVED = RESERVED_FLAG_BITS.reduce((mask, bit) => mask | (1 << bit), 0);

const ROWS: readonly FaultRow[] = [
  {
    what: 'user-not-present',
    title: 'no user presence',
    edits: { authenticatorData: clearFlags(FLAG.up) },
    why: 'Malware with access to an authenticator could answer while nobody is there. Refuse responses without the UP flag, even where UV is set.',
    code: 'user_not_present',
    step: 'user-present',
  },
  {
    what: 'user-not-verified',
    title: 'user verification required but not performed',
    wants: { userVerification: 'required' },
    edits: { authenticatorData: clearFlags(FLAG.uv) },
    why: 'Whoever holds a stolen device logs in without its PIN or the owner\'s finger. Where your options say userVerification "required", check the UV flag on the server too: a browser that is told otherwise leaves it out.',
    code: 'user_not_verified',
    step: 'user-verified',
  },
  {
    what: 'backed-up-but-not-verified',
    title: 'user verification required, and every other flag set',
    wants: { userVerification: 'required' },
    browser: { authenticator: { backupEligible: true, backupState: true } },
    edits: { authenticatorData: inOrder(clearFlags(FLAG.uv), setFlags(RESERVED)) },
    why: 'The flags are single bits: UV is bit 2. A server that compares the byte as a number, or reads another bit, takes a synced passkey for a verified user. Test the byte with the mask 0x04.',
    code: 'user_not_verified',
    step: 'user-verified',
  },
  {
    what: 'backup-state-without-eligibility',
    title: 'backed up, but not backup eligible',
    edits: { authenticatorData: setFlags(FLAG.bs) },
    why: 'No conforming authenticator sends this, so that nothing else in the response can be relied on. Refuse the BS flag where BE is not set.',
    code: 'backup_state_invalid',
    step: 'backup-flags',
  },
];

const ELIGIBILITY =
  'Whether a passkey may leave its device is settled when it is made. A response that says otherwise comes from another authenticator. Keep the BE flag with the credential and compare it at every login.';

const LOGINS: readonly Case[] = [
  authenticationCase({
    id: 'login.backup-eligibility-gained',
    title: 'eligible for backup, although it was not at its registration',
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

/** §7.1 steps 15 to 17, §7.2 steps 16 to 19. */
export const FLAG_CASES: readonly Case[] = [
  ...ROWS.flatMap(bothRefused),
  ...LOGINS,
  ...bothAccepted({
    what: 'reserved-flags',
    step: 'user-present',
    title: 'flags that the standard reserves for later',
    edits: { authenticatorData: setFlags(RESERVED) },
    why: 'Authenticators of a later level may set them, and their users would be locked out. Look only at the flags that you know.',
  }),
];
