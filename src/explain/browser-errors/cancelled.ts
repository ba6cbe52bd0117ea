/** Duration in milliseconds. No user can close a dialog faster, so a browser that refuses a call sooner has not shown a dialog. */
export const AT_ONCE = 400;

/**
 * Tells whether the user may have cancelled the call. Browsers use the same error for a closed dialog, a time-out and other reasons. A
 * software authenticator (`bySoftware`) shows no dialog.
 */
export function mayBeCancelled(name: string, milliseconds: number, bySoftware = false): boolean {
  return name === 'AbortError' || (!bySoftware && name === 'NotAllowedError' && milliseconds >= AT_ONCE);
}
