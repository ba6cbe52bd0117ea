/** Hints about the flags of authenticator data (§6.1). */

export const USER_PRESENT_HINT =
  'Nobody touched the authenticator or the like (UP is not set), and a silent answer does not count; ask the user to try again, and in a test let the authenticator set UP.';

export const USER_PRESENT_AT_REGISTRATION_HINT =
  'The authenticator must ask for a touch or the like; only a conditional create (mediation "conditional") does without, and this ceremony was not begun as one.';

export const USER_VERIFIED_HINT =
  'The authenticator did not verify the user by PIN or biometry; ask for "required" in the options too ("preferred" lets it leave this out), or do not require it here.';

export const BACKUP_STATE_HINT =
  'The credential is said to be backed up (BS), and yet not able to be (no BE), which contradicts itself: the authenticator sets its flags wrongly; whoever makes it must set BE wherever it sets BS.';

/** §7.2 step 19: `registered` and `received` are the BE flags. */
export function backupEligibilityHint(registered: boolean): string {
  return registered
    ? 'Backup eligibility never changes in the life of a credential; this one was registered as one that may be synced, so the response is of another copy, or the record was changed: store the flag as the registration had it, or register the passkey anew.'
    : 'Backup eligibility never changes in the life of a credential; the passkey was imported into a provider that syncs, or the record lost the flag: register it anew.';
}
