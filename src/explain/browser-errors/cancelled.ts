/** Milliseconds within which nobody has answered a dialog: the browser refused without one. */
export const AT_ONCE = 400;

/** Whether the user may have ended the call: browsers tell neither a closed dialog nor a time-out from other reasons. */
export function mayBeCancelled(name: string, milliseconds: number): boolean {
  return name === 'AbortError' || (name === 'NotAllowedError' && milliseconds >= AT_ONCE);
}
