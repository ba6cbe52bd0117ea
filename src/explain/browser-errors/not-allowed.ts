import { asObject } from '../../kernel/json-value.js';
import type { Explanation } from '../error-texts/meaning.js';
import { AT_ONCE, mayBeCancelled } from './cancelled.js';
import type { FailedCall } from './failed-call.js';

/**
 * Explains a NotAllowedError. Browsers deliberately use this error for many causes; the facts about the call show which causes are likely.
 */
export function notAllowed(failed: FailedCall): Explanation {
  if (failed.permitted === false) {
    return {
      title: 'This frame may not use passkeys',
      causes: [`The permissions policy does not grant publickey-credentials-${failed.call} to this frame.`],
      next: `Open the page in its own tab, or give the iframe allow="publickey-credentials-${failed.call}".`,
    };
  }
  const causes: string[] = [];
  if (failed.timeout !== undefined && failed.milliseconds >= failed.timeout * 0.95) {
    causes.push(`It timed out: the options allow ${seconds(failed.timeout)} and the call took ${seconds(failed.milliseconds)}.`);
  } else if (failed.milliseconds < AT_ONCE) {
    const wanted = failed.call === 'create' ? 'authenticator' : 'passkey';
    causes.push(
      `It was refused at once, without a dialog: no ${wanted} here matches the options, or the page had no user gesture or no focus.`,
    );
  } else {
    causes.push('The dialog was closed or cancelled.');
  }
  causes.push(...demands(failed));
  if (failed.call === 'get') {
    if (failed.signalled) {
      causes.push(
        'This page asked the browser to hide or delete such a passkey (see the signal in an earlier run). Restoring it on the server may not bring it back.',
      );
    }
    causes.push(
      failed.allowed.length > 0
        ? `${failed.allowed.length === 1 ? 'The allowed passkey is not' : `None of the ${failed.allowed.length} allowed passkeys is`} on an available authenticator, or was deleted there.`
        : `There is no discoverable passkey for ${failed.rpId ?? 'this site'} here. A passkey created with residentKey "discouraged" may not be discoverable: choose it in the list.`,
    );
  } else if (failed.algorithms.length > 0 && !failed.algorithms.some((algorithm) => algorithm === -7 || algorithm === -257)) {
    causes.push(
      `Few authenticators support the algorithms ${failed.algorithms.join(', ')}. Nearly all support -7 (ES256), and those of Windows -257 (RS256).`,
    );
  } else if (failed.excluded > 0) {
    causes.push('The authenticator already has one of the excluded passkeys, and the browser hides that.');
  }
  if (failed.userVerification === 'required') {
    causes.push('User verification is required, but the authenticator has no PIN or biometrics set up, or the check failed.');
  } else if (failed.userVerification !== 'discouraged') {
    causes.push(
      'The authenticator asked for its PIN or biometrics and the check failed. Try userVerification "discouraged" to rule this out.',
    );
  }
  if (!failed.focused) {
    causes.push('The page did not have the focus. The developer tools or another window may have it.');
  }
  if (failed.framed) {
    causes.push('The page is in an iframe, where browsers require more (a permissions policy, a user gesture).');
  }
  const title = failed.call === 'create' ? 'No passkey was created' : 'No passkey was used';
  return {
    title: mayBeCancelled(failed.name, failed.milliseconds) ? `You or the browser ended it. ${title}` : title,
    causes,
    next: 'Browsers hide the cause on purpose. Try again with the dialog in view, then relax the options one at a time.',
  };
}

/** Describes options of a call that exclude authenticators without telling the user. */
function demands({ call, attachment, residentKey, extensions }: FailedCall): string[] {
  if (call === 'get') {
    return [];
  }
  return [
    attachment === undefined ? undefined : `The options allow only ${attachment} authenticators (authenticatorAttachment).`,
    residentKey === 'required'
      ? 'The passkey must be discoverable (residentKey "required"), but the authenticator cannot store one.'
      : undefined,
    asObject(extensions['largeBlob'])['support'] === 'required'
      ? 'largeBlob.support is "required", but few authenticators support it.'
      : undefined,
    extensions['enforceCredentialProtectionPolicy'] === true
      ? 'enforceCredentialProtectionPolicy rules out authenticators without credProtect, including those of most platforms.'
      : undefined,
  ].filter((one) => one !== undefined);
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 1 : 0)} s`;
}
