import { listNames } from '../../webauthn/enumerations.js';
import { CREDENTIAL_PROTECTION, findExtensionInput, misusedExtensions } from '../../webauthn/extensions.js';
import { isIpAddress } from '../../webauthn/rp-id.js';
import { findErrorTexts } from '../error-texts/find.js';
import type { Explanation } from '../error-texts/meaning.js';
import { MEANINGS } from '../error-texts/meanings.js';
import { CLIENT_TEXTS } from '../error-texts/table.js';
import type { FailedCall } from './failed-call.js';
import { notAllowed } from './not-allowed.js';

const CORRECT_MEMBER = 'Correct the member in the options that were sent.';

/** Explains a DOMException of WebAuthn by its message or, if the message is unknown, by its name. The most likely cause comes first. */
export function explainBrowserError(failed: FailedCall): Explanation {
  const [found] = findErrorTexts(failed.message, CLIENT_TEXTS);
  if (found === undefined) return explainName(failed);
  const { about } = found.row;
  if (typeof about !== 'string') return explainName({ ...failed, name: about.exception, permitted: about.permitted ?? failed.permitted });
  const { title, causes, next }: Explanation = MEANINGS[about];
  return { title, causes, next };
}

function explainName(failed: FailedCall): Explanation {
  const explain = Object.hasOwn(EXPLANATIONS, failed.name) ? EXPLANATIONS[failed.name] : undefined;
  return (explain ?? unknownError)(failed);
}

const EXPLANATIONS: Readonly<Record<string, (failed: FailedCall) => Explanation>> = {
  NotAllowedError: notAllowed,
  InvalidStateError: invalidState,
  SecurityError: security,
  ConstraintError: constraint,
  NotSupportedError: (failed) => extensionMisuse(failed) ?? credentialProtection(failed) ?? unsupported(failed),
  SyntaxError: syntax,
  // The page does not ask about calls that it has ended itself.
  AbortError: () => ({
    title: 'Aborted',
    causes: ['Something other than the page ended the request: a navigation, an extension, another tab.'],
    next: 'Try again.',
  }),
  TypeError: typeError,
  NotReadableError: () => ({
    title: 'The authenticator could not be read',
    causes: ['The security key or its driver reported an I/O error, or another program is using it.'],
    next: 'Unplug the key, plug it in again, and close other programs that use it.',
  }),
  UnknownError: () => ({
    title: 'The authenticator failed',
    causes: [
      'The authenticator had an internal error: full storage, a lost connection, a cancelled system dialog.',
      'The authenticator does not support a requested extension (prf, largeBlob, credProtect).',
    ],
    next: 'Try again without extensions, then with another authenticator.',
  }),
  OperationError: () => ({
    title: 'Another request is pending',
    causes: ['The browser was still handling an earlier passkey request of this page or another tab.'],
    next: 'Close any open passkey dialog and try again.',
  }),
  EncodingError: () => ({
    title: 'An option has the wrong encoding',
    causes: ['A member that carries bytes (challenge, user.id, a credential id, prf input) is not base64url.'],
    next: 'Check the options that were sent.',
  }),
  NoCredential: () => ({
    title: 'The browser returned no credential',
    causes: ['The call returned neither an error nor a passkey. Some password manager extensions do that when they are closed.'],
    next: 'Try again. If it keeps happening, turn the password manager off for this page.',
  }),
};

function invalidState(failed: FailedCall): Explanation {
  if (failed.call === 'create') {
    return {
      title: 'This authenticator already has a passkey for this user',
      causes: [
        failed.excluded > 0
          ? 'Its credential ID is in excludeCredentials, which prevents a second passkey. The user agreed to reveal this.'
          : 'The authenticator refused a second passkey for the same user.',
      ],
      next: 'Log in with the existing passkey, register another authenticator, or empty excludeCredentials in the options.',
    };
  }
  return {
    title: 'The authenticator could not answer',
    causes: ['The document was not active, or the authenticator’s response does not match the request.'],
    next: 'Switch to the tab and try again.',
  };
}

/** The explanation of a SecurityError if the page's origin is unknown. */
const UNSEEN_SECURITY: Explanation = {
  title: 'rp.id does not match the origin of the page',
  causes: [
    "The rp.id must be the page's host or a parent domain that is not a public suffix, without scheme and port.",
    'The page is open at an IP address, which cannot have passkeys.',
    'The page is not in a secure context: passkeys need https, or http://localhost.',
  ],
  next: 'Compare rp.id (rpId) in the options with the address of the page.',
};

function security(failed: FailedCall): Explanation {
  if (failed.origin === '') return UNSEEN_SECURITY;
  const host = readHost(failed.origin);
  if (isIpAddress(host)) {
    return {
      title: `An IP address cannot have passkeys: ${host}`,
      causes: [`The page is open at ${failed.origin}. An rp.id must be a domain; browsers refuse IP addresses, including loopback.`],
      next: 'Open the page at http://localhost with the same port.',
    };
  }
  return {
    title: `rp.id "${failed.rpId ?? ''}" does not match the origin ${failed.origin}`,
    causes: [
      `The rp.id must be the page's host (${host}) or a parent domain that is not a public suffix.`,
      `Related origins work too, if https://${failed.rpId ?? 'rp.id'}/.well-known/webauthn lists ${failed.origin}.`,
    ],
    next: `Set the application's URL (app_url) to ${failed.origin}, or open the page at ${failed.rpId ?? 'the rp.id'}. If the file lists the page, \`passkey doctor URL --rp-id ID\` says why the browser does not read it.`,
  };
}

function constraint(failed: FailedCall): Explanation {
  const asked = [
    failed.residentKey === 'required' ? 'residentKey "required" (a discoverable passkey)' : undefined,
    failed.userVerification === 'required' ? 'userVerification "required"' : undefined,
    failed.mediation === 'conditional' ? 'a conditional create, without a dialog' : undefined,
  ].filter((one): one is string => one !== undefined);
  return {
    title: 'The authenticator lacks a required capability',
    causes:
      asked.length > 0
        ? asked.map((one) => `The options require ${one}, which this authenticator does not support.`)
        : ['A required capability is missing.'],
    next: 'Use "preferred" instead of "required", or another authenticator.',
  };
}

/** Explains an error that a wrong use of an extension causes; undefined if no extension of the call can cause this error. */
function extensionMisuse({ name, call, extensions, allowed }: FailedCall): Explanation | undefined {
  const ceremony = call === 'create' ? 'registration' : 'authentication';
  const misused = misusedExtensions(extensions, ceremony, allowed).filter(({ error }) => error === name);
  const misplaced = Object.keys(extensions).filter((id) => findExtensionInput(id)?.ceremonies.includes(ceremony) === false);
  const causes = [
    ...misused.map(({ message }) => message),
    ...(name === 'NotSupportedError' ? misplaced : []).map((id) => `${id} is not for ${ceremony}.`),
  ];
  return causes.length === 0
    ? undefined
    : { title: 'An extension is used in a way that cannot work', causes, next: 'Correct the extensions in the options.' };
}

/**
 * Explains an error that the extension credProtect (CTAP 2.3 §12.1) causes. Browsers refuse the call if the authenticator does not support
 * the extension. Returns undefined if the options do not request it.
 */
function credentialProtection({ call, extensions, userVerification = 'preferred' }: FailedCall): Explanation | undefined {
  const { credentialProtectionPolicy: policy, enforceCredentialProtectionPolicy: enforced } = extensions;
  if (call !== 'create' || (policy === undefined && enforced !== true)) return undefined;
  const named = listNames(CREDENTIAL_PROTECTION);
  const causes = [
    policy === undefined ? 'enforceCredentialProtectionPolicy needs a credentialProtectionPolicy.' : undefined,
    policy === undefined || named.some((name) => name === policy)
      ? undefined
      : `credentialProtectionPolicy is ${JSON.stringify(policy)}; use one of ${named.join(', ')}.`,
    policy === 'userVerificationRequired' && userVerification !== 'required'
      ? `credentialProtectionPolicy "userVerificationRequired" needs userVerification "required"; it is "${userVerification}".`
      : undefined,
    enforced === true ? 'enforceCredentialProtectionPolicy rules out authenticators without credProtect.' : undefined,
  ].filter((cause) => cause !== undefined);
  return {
    title: 'The browser refuses the credential protection policy',
    causes: causes.length > 0 ? causes : ['The authenticator does not support credProtect.'],
    next: 'Ask for userVerification "required" too, or leave out credentialProtectionPolicy and enforceCredentialProtectionPolicy.',
  };
}

function unsupported(failed: FailedCall): Explanation {
  if (failed.call === 'get') {
    return {
      title: 'The browser does not support what the options ask for',
      causes: ['This browser does not support one of the options or extensions at a login.'],
      next: 'Remove the extensions one at a time.',
    };
  }
  return {
    title: 'The authenticator supports no requested algorithm or type',
    causes: [
      `The authenticator supports none of the algorithms (${failed.algorithms.length > 0 ? failed.algorithms.join(', ') : 'none given'}).`,
      'Every entry of pubKeyCredParams has a type other than "public-key".',
      ...(failed.attachment === undefined ? [] : [`There is no ${failed.attachment} authenticator.`]),
    ],
    next: 'Add -7 (ES256) and -257 (RS256) to the algorithms. Remove extensions.',
  };
}

function syntax(failed: FailedCall): Explanation {
  return (
    extensionMisuse(failed) ?? {
      title: 'A value in the options is malformed',
      causes: [failed.message === '' ? 'The browser gave no message.' : failed.message],
      next: CORRECT_MEMBER,
    }
  );
}

function typeError(failed: FailedCall): Explanation {
  return {
    title: 'The options do not have the expected shape',
    causes: [failed.message],
    next: CORRECT_MEMBER,
  };
}

function unknownError(failed: FailedCall): Explanation {
  return {
    title: `The browser answered ${failed.name}`,
    causes: [failed.message === '' ? 'The browser gave no message.' : failed.message],
    next: failed.secureContext ? 'Look in the browser console for more.' : 'Passkeys need a secure context: https, or http://localhost.',
  };
}

function readHost(origin: string): string {
  try {
    return new URL(origin).hostname;
  } catch {
    return origin;
  }
}
