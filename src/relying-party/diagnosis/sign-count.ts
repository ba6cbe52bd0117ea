/** Assertions that may well have overtaken each other. */
const NEAR = 3;

/** One sentence on a signature counter that did not grow. */
export function signCountHint(received: number, stored: number): string {
  if (received === 0) {
    return 'An authenticator that counted before sends 0 now: it was reset, or the passkey moved to a provider that does not count; register it anew.';
  }
  if (received === stored) {
    return 'The counter of the last assertion came again: a response was sent twice (a retry or a replay), or two requests verified it at once; send each response once, and ask for new options for the next try.';
  }
  return stored - received <= NEAR
    ? 'Assertions may have overtaken each other (two tabs or servers at once), or two copies of the credential are in use; ask the user to try again, and look closer if it happens again.'
    : 'Two copies of the credential may be in use (a clone), or an old response came again; if the authenticator was reset, register it anew.';
}
