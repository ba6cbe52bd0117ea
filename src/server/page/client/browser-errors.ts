import { isIpAddress } from '../../../webauthn/rp-id.js';
import type { Explanation } from './run.js';

/** What is known about a call of `navigator.credentials` that threw. */
export interface FailedCall {
  readonly name: string;
  readonly message: string;
  readonly call: 'create' | 'get';
  readonly mediation: 'conditional' | undefined;
  readonly rpId: string | undefined;
  readonly origin: string;
  readonly milliseconds: number;
  /** `timeout` of the options, in milliseconds. */
  readonly timeout: number | undefined;
  readonly userVerification: string | undefined;
  readonly residentKey: string | undefined;
  readonly attachment: string | undefined;
  readonly algorithms: readonly number[];
  readonly allowed: number;
  readonly excluded: number;
  /** The page has signalled a passkey that could answer as unknown or not accepted, so that the browser may hide it. */
  readonly signalled: boolean;
  readonly secureContext: boolean;
  /** The permission policy allows the call in this frame; undefined where the browser does not tell. */
  readonly permitted: boolean | undefined;
  readonly framed: boolean;
  readonly focused: boolean;
  /** The page aborted the call itself. */
  readonly abortedByPage: boolean;
}

/** A DOMException of WebAuthn in words: what it means here, the most likely cause first. */
export function explainBrowserError(failed: FailedCall): Explanation {
  return (EXPLANATIONS[failed.name] ?? unknownError)(failed);
}

const EXPLANATIONS: Readonly<Record<string, (failed: FailedCall) => Explanation>> = {
  NotAllowedError: notAllowed,
  InvalidStateError: invalidState,
  SecurityError: security,
  ConstraintError: constraint,
  NotSupportedError: notSupported,
  AbortError: abort,
  TypeError: typeError,
  NotReadableError: () => ({
    title: 'The authenticator could not be read',
    causes: ['The security key or its driver gave an I/O error, or another program holds it.'],
    next: 'Take the key out, put it in again, and close other programs that use it.',
  }),
  UnknownError: () => ({
    title: 'The authenticator failed',
    causes: [
      'It met an error of its own: storage full, a broken connection, a cancelled system dialog.',
      'An extension (prf, largeBlob, credProtect) was asked for that it cannot do.',
    ],
    next: 'Try again without extensions, then with another authenticator.',
  }),
  OperationError: () => ({
    title: 'Another request is in the way',
    causes: ['The browser was still busy with an earlier passkey request of this page or of another tab.'],
    next: 'Close any open passkey dialog and try again.',
  }),
  EncodingError: () => ({
    title: 'An option is not in the expected encoding',
    causes: ['A member that carries bytes (challenge, user.id, a credential id, prf input) is not base64url.'],
    next: 'Look at the options that were sent, below.',
  }),
  NoCredential: () => ({
    title: 'The browser gave no credential',
    causes: ['The call came back without an error and without a passkey. Some extensions of password managers do that when closed.'],
    next: 'Try again; if it stays so, turn the password manager off for this page.',
  }),
};

function notAllowed(failed: FailedCall): Explanation {
  if (failed.permitted === false) {
    return {
      title: 'This frame may not use passkeys',
      causes: [`The permission policy does not grant publickey-credentials-${failed.call} to this frame.`],
      next: `Open the page in a tab of its own, or give the iframe allow="publickey-credentials-${failed.call}".`,
    };
  }
  const causes: string[] = [];
  const verification = failed.userVerification === 'required' ? 'required' : undefined;
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
  if (failed.call === 'get') {
    if (failed.signalled) {
      causes.push(
        'This page had asked the browser to hide or delete such a passkey (see the signal in an earlier run); restoring it on the server may not bring it back.',
      );
    }
    causes.push(
      failed.allowed > 0
        ? `${failed.allowed === 1 ? 'The allowed passkey is not' : `None of the ${failed.allowed} allowed passkeys is`} on an authenticator at hand, or it was deleted there.`
        : `There is no discoverable passkey for ${failed.rpId ?? 'this site'} here. A passkey made with residentKey "discouraged" can only be found by its id.`,
    );
  } else if (!failed.algorithms.some((algorithm) => algorithm === -7 || algorithm === -257)) {
    causes.push(
      `Few authenticators sign with the algorithms ${failed.algorithms.join(', ')} alone. Nearly all know -7 (ES256), those of Windows -257 (RS256).`,
    );
  } else if (failed.excluded > 0) {
    causes.push('The authenticator holds one of the excluded passkeys already, and the browser keeps that to itself.');
  }
  if (verification !== undefined) {
    causes.push('User verification is required, and the authenticator has no PIN or biometrics set up, or the user failed it.');
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

function invalidState(failed: FailedCall): Explanation {
  if (failed.call === 'create') {
    return {
      title: 'This authenticator has a passkey for this user already',
      causes: [
        failed.excluded > 0
          ? 'Its credential id stands in excludeCredentials: that is what the list is for, and the user agreed to tell.'
          : 'The authenticator refused a second passkey for the same user.',
      ],
      next: 'Log in with the passkey that is there, register another authenticator, or empty excludeCredentials in the options.',
    };
  }
  return {
    title: 'The authenticator is not in a state to answer',
    causes: ['The document was not active, or the authenticator gave an answer that does not belong to the request.'],
    next: 'Bring the tab to the front and try again.',
  };
}

function security(failed: FailedCall): Explanation {
  const host = hostOf(failed.origin);
  if (isIpAddress(host)) {
    return {
      title: `An IP address cannot have passkeys: ${host}`,
      causes: [`The page is open at ${failed.origin}. An rp.id has to be a domain; browsers refuse IP addresses, loopback included.`],
      next: 'Open the same page at http://localhost and its port.',
    };
  }
  return {
    title: `rp.id "${failed.rpId ?? ''}" does not fit the origin ${failed.origin}`,
    causes: [
      `The rp.id must be the page's host (${host}) or a parent domain of it that is no public suffix.`,
      `Related origins would also do: https://${failed.rpId ?? 'rp.id'}/.well-known/webauthn would have to list ${failed.origin}.`,
    ],
    next: `Set the application's URL (app_url) to ${failed.origin}, or open the page under ${failed.rpId ?? 'the rp.id'}.`,
  };
}

function constraint(failed: FailedCall): Explanation {
  const asked = [
    failed.residentKey === 'required' ? 'residentKey "required" (a discoverable passkey)' : undefined,
    failed.userVerification === 'required' ? 'userVerification "required"' : undefined,
    failed.mediation === 'conditional' ? 'a conditional create, without a dialog' : undefined,
  ].filter((one): one is string => one !== undefined);
  return {
    title: 'The authenticator cannot do what is required',
    causes:
      asked.length > 0
        ? asked.map((one) => `The options demand ${one}; this authenticator has no way to.`)
        : ['A required capability is missing.'],
    next: 'Use "preferred" in place of "required", or another authenticator.',
  };
}

function notSupported(failed: FailedCall): Explanation {
  return {
    title: 'The authenticator offers none of what was asked for',
    causes:
      failed.call === 'create'
        ? [
            `None of the algorithms (${failed.algorithms.length > 0 ? failed.algorithms.join(', ') : 'none given'}) is one that the authenticator can sign with.`,
            'Every entry of pubKeyCredParams has a type other than "public-key".',
            ...(failed.attachment === undefined ? [] : [`No ${failed.attachment} authenticator is there.`]),
          ]
        : ['An option or an extension is one that this browser does not support in this place.'],
    next: 'Add -7 (ES256) and -257 (RS256) to the algorithms; take extensions out.',
  };
}

function abort(failed: FailedCall): Explanation {
  return {
    title: failed.abortedByPage ? 'Aborted by the page' : 'Aborted',
    causes: failed.abortedByPage
      ? ['The page ended this request itself, because another one began or you asked it to. A browser has room for one at a time.']
      : ['Something other than the page ended the request: a navigation, an extension, another tab.'],
    next: failed.abortedByPage ? 'Nothing to do.' : 'Try again.',
  };
}

function typeError(failed: FailedCall): Explanation {
  return {
    title: 'The options do not have the shape that the browser expects',
    causes: [failed.message],
    next: 'Correct the member in the options panel; the options that were sent are below.',
  };
}

function unknownError(failed: FailedCall): Explanation {
  return {
    title: `The browser answered ${failed.name}`,
    causes: [failed.message === '' ? 'It gave no message.' : failed.message],
    next: failed.secureContext ? 'Look into the browser console for more.' : 'Passkeys need a secure context: https, or http://localhost.',
  };
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 1 : 0)} s`;
}

function hostOf(origin: string): string {
  try {
    return new URL(origin).hostname;
  } catch {
    return origin;
  }
}
