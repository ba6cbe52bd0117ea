/** Hints about the flags of authenticator data (§6.1). */

export const USER_PRESENT_HINT = 'The authenticator must ask for a touch or the like; a silent assertion does not count.';

export const USER_VERIFIED_HINT =
  'The authenticator did not verify the user by PIN or biometry; ask for "required" in the options too ("preferred" lets it leave this out), or do not require it here.';

export const BACKUP_STATE_HINT = 'A credential that cannot be backed up cannot be backed up now; the authenticator sets its flags wrongly.';

/** §7.2 step 19: `registered` and `received` are the BE flags. */
export function backupEligibilityHint(registered: boolean): string {
  return registered
    ? 'Backup eligibility never changes in the life of a credential; this one was registered as one that may be synced, so the response is of another copy, or the record was changed.'
    : 'Backup eligibility never changes in the life of a credential; the passkey was imported into a provider that syncs, or the record lost the flag: register it anew.';
}
