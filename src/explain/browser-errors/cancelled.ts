/** Milliseconds: no user can answer a dialog faster, so the browser must have refused without showing one. */
export const AT_ONCE = 400;

/**
 * Whether the user may have ended the call. Browsers do not distinguish a closed dialog or a time-out from other reasons. A software
 * authenticator (`bySoftware`) shows no dialog.
 */
export function mayBeCancelled(name: string, milliseconds: number, bySoftware = false): boolean {
  return name === 'AbortError' || (!bySoftware && name === 'NotAllowedError' && milliseconds >= AT_ONCE);
}
