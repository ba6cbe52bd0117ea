import { misusedExtensions } from '../../webauthn/extensions.js';
import { isIpAddress } from '../../webauthn/rp-id.js';
import type { Explanation } from '../run.js';
import type { FailedCall } from './failed-call.js';
import { notAllowed } from './not-allowed.js';

const EXTENSION_MISUSED = 'An extension is asked for in a way that cannot work';

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
  SyntaxError: syntax,
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

function extensionMisuse({ call, extensions, allowed }: FailedCall, name: 'NotSupportedError' | 'SyntaxError'): string[] {
  return misusedExtensions(extensions, call === 'create' ? 'registration' : 'authentication', allowed)
    .filter(({ error }) => error === name)
    .map(({ message }) => message);
}

function notSupported(failed: FailedCall): Explanation {
  const misused = extensionMisuse(failed, 'NotSupportedError');
  if (misused.length > 0) {
    return { title: EXTENSION_MISUSED, causes: misused, next: 'Correct the extensions in the options panel.' };
  }
  if (failed.call === 'get') {
    return {
      title: 'The browser cannot do what the options ask for',
      causes: ['An option or an extension is one that this browser does not support in this place.'],
      next: 'Take the extensions out one at a time.',
    };
  }
  return {
    title: 'The authenticator offers none of what was asked for',
    causes: [
      `None of the algorithms (${failed.algorithms.length > 0 ? failed.algorithms.join(', ') : 'none given'}) is one that the authenticator can sign with.`,
      'Every entry of pubKeyCredParams has a type other than "public-key".',
      ...(failed.attachment === undefined ? [] : [`No ${failed.attachment} authenticator is there.`]),
    ],
    next: 'Add -7 (ES256) and -257 (RS256) to the algorithms; take extensions out.',
  };
}

function syntax(failed: FailedCall): Explanation {
  const misused = extensionMisuse(failed, 'SyntaxError');
  return misused.length > 0
    ? { title: EXTENSION_MISUSED, causes: misused, next: 'Correct the extensions in the options panel.' }
    : {
        title: 'A value of the options is not in the expected form',
        causes: [failed.message === '' ? 'The browser gave no message.' : failed.message],
        next: 'Correct the member in the options panel; the options that were sent are below.',
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

function hostOf(origin: string): string {
  try {
    return new URL(origin).hostname;
  } catch {
    return origin;
  }
}
