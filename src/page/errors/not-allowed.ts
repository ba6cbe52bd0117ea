import { stringAt } from '../json.js';
import type { Explanation } from '../run.js';
import type { FailedCall } from './failed-call.js';

/** A NotAllowedError stands for many things, on purpose: what is known tells the likely from the unlikely. */
export function notAllowed(failed: FailedCall): Explanation {
  if (failed.permitted === false) {
    return {
      title: 'This frame may not use passkeys',
      causes: [`The permission policy does not grant publickey-credentials-${failed.call} to this frame.`],
      next: `Open the page in a tab of its own, or give the iframe allow="publickey-credentials-${failed.call}".`,
    };
  }
  const causes: string[] = [];
  if (failed.timeout !== undefined && failed.milliseconds >= failed.timeout * 0.95) {
    causes.push(`It timed out: the options allow ${seconds(failed.timeout)} and the call took ${seconds(failed.milliseconds)}.`);
  } else if (failed.milliseconds < 400) {
    causes.push(
      failed.call === 'create'
        ? 'It was refused at once, without a dialog: no authenticator here fits the options, or the page had no user gesture or no focus.'
        : 'It was refused at once, without a dialog: no passkey here fits the options, or the page had no user gesture or no focus.',
    );
  } else {
    causes.push('The dialog was closed or cancelled.');
  }
  causes.push(...demands(failed));
  if (failed.call === 'get') {
    if (failed.signalled) {
      causes.push(
        'This page had asked the browser to hide or delete such a passkey (see the signal in an earlier run); restoring it on the server may not bring it back.',
      );
    }
    causes.push(
      failed.allowed.length > 0
        ? `${failed.allowed.length === 1 ? 'The allowed passkey is not' : `None of the ${failed.allowed.length} allowed passkeys is`} on an authenticator at hand, or it was deleted there.`
        : `There is no discoverable passkey for ${failed.rpId ?? 'this site'} here. A passkey made with residentKey "discouraged" can only be found by its id.`,
    );
  } else if (!failed.algorithms.some((algorithm) => algorithm === -7 || algorithm === -257)) {
    causes.push(
      `Few authenticators sign with the algorithms ${failed.algorithms.join(', ')} alone. Nearly all know -7 (ES256), those of Windows -257 (RS256).`,
    );
  } else if (failed.excluded > 0) {
    causes.push('The authenticator holds one of the excluded passkeys already, and the browser keeps that to itself.');
  }
  if (failed.userVerification === 'required') {
    causes.push('User verification is required, and the authenticator has no PIN or biometrics set up, or the user failed it.');
  } else if (failed.userVerification !== 'discouraged') {
    causes.push(
      'The authenticator asked for its PIN or biometrics and the user failed it; userVerification "discouraged" shows whether that is it.',
    );
  }
  if (!failed.focused) {
    causes.push('The page did not have the focus: the developer tools or another window had it.');
  }
  if (failed.framed) {
    causes.push('The page is in an iframe, where browsers ask for more (permission policy, a user gesture).');
  }
  return {
    title: failed.call === 'create' ? 'No passkey was made' : 'No passkey was used',
    causes,
    next: 'Browsers do not tell these cases apart, on purpose. Try again with the dialog in view; then loosen the options one at a time.',
  };
}

/** What leaves authenticators out without a word to the user. */
function demands({ call, attachment, residentKey, extensions }: FailedCall): string[] {
  if (call === 'get') {
    return [];
  }
  return [
    attachment === undefined ? undefined : `Only ${attachment} authenticators may answer (authenticatorAttachment).`,
    residentKey === 'required'
      ? 'The passkey has to be discoverable (residentKey "required"), and the authenticator has no room for one.'
      : undefined,
    stringAt(extensions, 'largeBlob', 'support') === 'required'
      ? 'largeBlob.support is "required": few authenticators have it.'
      : undefined,
    extensions['enforceCredentialProtectionPolicy'] === true
      ? 'enforceCredentialProtectionPolicy leaves out authenticators without credProtect, those of most platforms among them.'
      : undefined,
  ].filter((one) => one !== undefined);
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 1 : 0)} s`;
}
