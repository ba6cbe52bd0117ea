/** Milliseconds within which no user has answered a dialog: the browser refused without one. */
export const AT_ONCE = 400;

/**
 * Whether the user may have ended the call: browsers tell neither a closed dialog nor a time-out from other reasons. Where a software
 * authenticator answers (`bySoftware`), there is no dialog.
 */
export function mayBeCancelled(name: string, milliseconds: number, bySoftware = false): boolean {
  return name === 'AbortError' || (!bySoftware && name === 'NotAllowedError' && milliseconds >= AT_ONCE);
}
