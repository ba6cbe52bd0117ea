import { type ErrorText, type Exception, listTexts } from './row.js';

const CHROMIUM = {
  from: 'Chromium',
  version: '140',
  source: 'chromium/src third_party/blink/renderer/modules/credentialmanagement/authentication_credentials_container.cc',
};
const CHROMIUM_BINDINGS = { ...CHROMIUM, source: 'chromium/src third_party/blink/renderer/bindings' };
const FIREFOX = { from: 'Firefox', version: '153', source: 'mozilla/gecko-dev dom/base/domerr.msg, dom/credentialmanagement' };
const SAFARI = { from: 'Safari', version: '2025-09', source: 'WebKit/WebKit Source/WebCore/Modules/webauthn/AuthenticatorCoordinator.cpp' };
const SAFARI_UI = { ...SAFARI, source: 'WebKit/WebKit Source/WebKit/UIProcess/WebAuthentication' };
const SAFARI_NAMES = { ...SAFARI, source: 'WebKit/WebKit Source/WebCore/dom/DOMException.cpp' };
const SIMPLE_BROWSER = {
  from: 'SimpleWebAuthn (browser)',
  version: '13.3.2',
  source: 'MasterKale/SimpleWebAuthn packages/browser/src/helpers/identifyRegistrationError.ts',
};

const FRAME: Exception = { exception: 'NotAllowedError', permitted: false };
const RP_ID: Exception = { exception: 'SecurityError' };
const PENDING: Exception = { exception: 'OperationError' };
const REGISTERED: Exception = { exception: 'InvalidStateError', call: 'create' };
const CONSTRAINT: Exception = { exception: 'ConstraintError' };
const ALGORITHMS: Exception = { exception: 'NotSupportedError', call: 'create' };

/** Error messages of browsers that say more than the name of the exception. */
export const BROWSER_TEXTS: readonly ErrorText[] = [
  ...listTexts(CHROMIUM, [
    [
      'certificate',
      'NotAllowedError: WebAuthn is not supported on sites with TLS certificate errors.',
      /(?:sites?|pages?|origins?) with (?:an? )?(?:invalid )?(?:TLS|SSL|certificate)[^.]{0,30}errors?|TLS certificate errors?|(?:TLS|SSL|HTTPS) certificate (?:\w+ ){0,3}?(?:invalid|not valid|not trusted|untrusted|expired|self-signed)|(?:invalid|untrusted|expired|self-signed) (?:TLS|SSL|HTTPS) certificate/i,
    ],
    [
      'focus',
      'NotAllowedError: The operation is not allowed at this time because the page does not have focus.',
      /(?:page|document|window|tab) (?:does not have|doesn't have|has no|is not in|lost|must have|is not) (?:the |currently )?focus(?:ed)?\b|not (?:currently )?focused\b|must be focused/i,
    ],
    [
      'relatedOrigins',
      'SecurityError: The relying party ID is not a registrable domain suffix of, nor equal to the current domain. Subsequently, an attempt to fetch the .well-known/webauthn resource of the claimed RP ID failed.',
      /(?:attempt to fetch|fetching|fetch|read|load)[^.]{0,20}\.well-known\/webauthn|\.well-known\/webauthn resource|no listed origin matched/i,
    ],
    [
      RP_ID,
      'SecurityError: The relying party ID is not a registrable domain suffix of, nor equal to the current domain.',
      /(?<!provided RP ID is )not a registrable domain suffix(?!.{0,200}(?:\.well-known\/webauthn|no listed origin))/i,
    ],
    [RP_ID, 'SecurityError: This is an invalid domain.', /\bThis is an invalid domain\b/i],
    [
      'insecure',
      "SecurityError: Public-key credentials are only available to HTTPS origins with valid certificates, HTTP origins that fall under 'localhost', or pages served from an extension.",
      /credentials are only available to HTTPS origins/i,
    ],
    [
      'opaqueOrigin',
      "NotAllowedError: The current origin is an opaque origin and hence not allowed to access 'PublicKeyCredential' objects.",
      /is an opaque origin/i,
    ],
    [
      FRAME,
      "NotAllowedError: The 'publickey-credentials-get' feature is not enabled in this document. Permissions Policy may be used to delegate Web Authentication capabilities to cross-origin child frames.",
      /publickey-credentials-(?:get|create)['"]? (?:feature )?is not (?:enabled|allowed)|Permissions Policy may be used to delegate Web Authentication/i,
    ],
    [
      FRAME,
      'NotAllowedError: The following credential operations can only occur in a document which is same-origin with all of its ancestors',
      /document which is same-origin with all of its ancestors/i,
    ],
    [
      'gesture',
      'SecurityError: A user activation is required to create a credential in a cross-origin iframe.',
      /(?:user activation|user gesture) is required|requires? (?:a )?(?:transient )?user (?:activation|gesture)|transient (?:user )?activation/i,
    ],
    [
      REGISTERED,
      'InvalidStateError: The user attempted to register an authenticator that contains one of the credentials already registered with the relying party.',
      /contains one of the credentials already registered|one of the credentials (?:is )?already registered/i,
    ],
    [
      'discoverable',
      "NotSupportedError: Resident credentials or empty 'allowCredentials' lists are not supported at this time.",
      /Resident credentials or empty|empty [`']?allowCredentials[`']? lists? (?:is|are) not supported|Use of an empty [`']?allowCredentials/i,
    ],
    [
      'screenLock',
      'NotSupportedError: The specified `userVerification` requirement cannot be fulfilled by this device unless the device is secured with a screen lock.',
      /secured with a screen lock|screen ?lock (?:is )?(?:missing|not set|required)|device (?:has no|does not have a) screen ?lock/i,
    ],
    [
      ALGORITHMS,
      'NotSupportedError: None of the algorithms specified in `pubKeyCredParams` are supported by this device.',
      /None of the algorithms specified in/i,
    ],
    [
      'unexpectedParameters',
      'NotSupportedError: Either the device has received unexpected request parameters, or the device cannot support this request.',
      /device has received unexpected request parameters/i,
    ],
    [
      { exception: 'NotSupportedError', call: 'create' },
      'NotSupportedError: Requested protection policy is inconsistent or incongruent with other requested parameters.',
      /Requested protection policy is inconsistent/i,
    ],
    [
      PENDING,
      'OperationError: A request is already pending.',
      /(?:request|operation|ceremony|call) is (?:already|still) (?:pending|in progress|running|outstanding|active)|already (?:a|another|one) (?:pending|outstanding) (?:request|operation)|pending (?:request|operation) (?:already exists|exists)|may be outstanding at one time/i,
    ],
    [
      'credentialManager',
      'NotReadableError: An unknown error occurred while talking to the credential manager.',
      /talking to the (?:\w+ )?credential manager/i,
    ],
    [
      'aborted',
      'AbortError: Request has been aborted.',
      /Request has been aborted|Aborted by AbortSignal|signal is aborted without reason/i,
    ],
    [
      'tooManyCredentials',
      'RangeError: The `excludeCredentials` attribute exceeds the maximum allowed size (64).',
      /attribute exceeds the maximum allowed size/i,
    ],
    ['noCredential', 'NotAllowedError: No immediate discoverable credentials are found.', /No immediate discoverable credentials/i],
    ['notBytes', 'NotSupportedError: No credential type was specified in the request.', /No credential type was specified/i],
    [
      { exception: 'NotAllowedError' },
      'NotAllowedError: The operation either timed out or was not allowed. See: https://www.w3.org/TR/webauthn-2/#sctn-privacy-considerations-client.',
      /operation either timed out or was not allowed/i,
    ],
  ]),
  ...listTexts(CHROMIUM_BINDINGS, [
    [
      'notBytes',
      "TypeError: Failed to execute 'get' on 'CredentialsContainer': Failed to read the 'publicKey' property from 'CredentialRequestOptions': Failed to read the 'challenge' property from 'PublicKeyCredentialRequestOptions': The provided value is not of type '(ArrayBuffer or ArrayBufferView)'.",
      /(?:challenge|user|id|publicKey)\b.{0,200}not of type '?\(?ArrayBuffer|not of type '?\(?ArrayBuffer or ArrayBufferView|'CredentialsContainer': (?!.{0,200}(?:feature|active))|required member (?:challenge|rp|user|pubKeyCredParams|id) is undefined/i,
    ],
  ]),
  ...listTexts(FIREFOX, [
    [FRAME, 'NotAllowedError: CredentialsContainer request is not allowed.', /CredentialsContainer request is not allowed/i],
    [
      { exception: 'NotAllowedError' },
      'NotAllowedError: The request is not allowed by the user agent or the platform in the current context, possibly because the user denied permission.',
      /request is not allowed by the user agent or the platform/i,
    ],
    [
      REGISTERED,
      'InvalidStateError: An attempt was made to use an object that is not, or is no longer, usable',
      /object that is not, or is no longer, usable/i,
    ],
    [RP_ID, 'SecurityError: The operation is insecure.', /\bThe operation is insecure\b/i],
    [
      'notBytes',
      "TypeError: CredentialsContainer.create: 'challenge' member of PublicKeyCredentialCreationOptions could not be converted to any of: ArrayBufferView, ArrayBuffer.",
      /Member PublicKeyCredential\w+\.\w+ is required|could not be converted to any of: ArrayBuffer|Missing required '(?:challenge|rp|user|pubKeyCredParams|id)' member of PublicKeyCredential/i,
    ],
    [
      { exception: 'EncodingError' },
      'EncodingError: PublicKeyCredential.parseCreationOptionsFromJSON: could not decode challenge as urlsafe base64',
      /as urlsafe base64|parse(?:Creation|Request)OptionsFromJSON/i,
    ],
    ['aborted', 'AbortError: The operation was aborted.', /The operation was aborted(?! because)/i],
    [
      { exception: 'UnknownError' },
      'UnknownError: The operation failed for an unknown transient reason',
      /operation failed for an unknown transient reason/i,
    ],
  ]),
  ...listTexts(SAFARI, [
    [
      FRAME,
      'NotAllowedError: The origin of the document is not the same as its ancestors.',
      /origin of the document is not the same as its ancestors/i,
    ],
    [
      RP_ID,
      'SecurityError: The effective domain of the document is not a valid domain.',
      /effective domain(?: of the document)? is not a valid domain/i,
    ],
    [
      RP_ID,
      'SecurityError: The provided RP ID is not a registrable domain suffix of the effective domain of the document.',
      /provided RP ID is not a registrable domain suffix/i,
    ],
    [
      'userIdLength',
      'TypeError: The length options.user.id must be between 1-64 bytes.',
      /user\.?id must be between 1|user ID was not between 1 and 64|user\.id' length|user\.id does not match the required length/i,
    ],
    [
      ALGORITHMS,
      'NotSupportedError: options.pubKeyCredParams contains unsupported PublicKeyCredentialType value.',
      /pubKeyCredParams contains unsupported/i,
    ],
    [
      RP_ID,
      'SecurityError: The origin of the document is not authorized for the provided App ID.',
      /not authorized for the provided App ID/i,
    ],
  ]),
  ...listTexts(SAFARI_UI, [
    [
      'gesture',
      "User gesture is not detected. To use the WebAuthn API, call 'navigator.credentials.create' or 'navigator.credentials.get' within user activated events.",
      /(?<!\ba )\b(?<!transient )user (?:gesture|activation)\b(?! is required)|within user[ -]activated events|(?<!requires? )\ba user gesture\b(?! is required)/i,
    ],
    [
      'cancelled',
      'NotAllowedError: This request has been cancelled by the user.',
      /(?:request|operation|ceremony|registration|authentication) (?:has been|was|is) cancell?ed by the user|user cancell?ed the (?:request|operation|dialog|ceremony)/i,
    ],
    ['cancelled', 'NotAllowedError: Operation timed out.', /NotAllowedError: Operation (?:timed out|failed)/i],
    [
      REGISTERED,
      'InvalidStateError: At least one credential matches an entry of the excludeCredentials list in the platform attached authenticator.',
      /matches an entry of the excludeCredentials/i,
    ],
    ['aborted', 'AbortError: This request has been cancelled by a new request.', /cancell?ed by (?:a )?new request/i],
    [
      { exception: 'NotAllowedError' },
      'NotAllowedError: No available authenticator recognized any of the allowed credentials',
      /recognized any of the allowed credentials|None of the allowed credentials/i,
    ],
  ]),
  ...listTexts(SAFARI_NAMES, [[REGISTERED, 'InvalidStateError: The object is in an invalid state.', /object is in an invalid state/i]]),
  ...listTexts(SIMPLE_BROWSER, [
    [
      REGISTERED,
      'InvalidStateError: The authenticator was previously registered',
      /authenticator (?:was|is) (?:previously|already) registered|ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED/i,
    ],
    [
      RP_ID,
      'SecurityError: The RP ID "shop.example" is invalid for this domain',
      /RP ID "[^"]*" is invalid for this domain|ERROR_INVALID_RP_ID/i,
    ],
    [RP_ID, 'SecurityError: 127.0.0.1 is an invalid domain', /\b[\w.:-]{1,255} is an invalid domain|ERROR_INVALID_DOMAIN/i],
    [
      CONSTRAINT,
      'Discoverable credentials were required but no available authenticator supported it',
      /Discoverable credentials were required but|ERROR_AUTHENTICATOR_MISSING_DISCOVERABLE/i,
    ],
    [
      CONSTRAINT,
      'User verification was required but no available authenticator supported it',
      /User verification was required,? but no available authenticator|User verification was required during automatic registration|ERROR_AUTHENTICATOR_MISSING_USER_VERIFICATION|ERROR_AUTO_REGISTER_USER_VERIFICATION/i,
    ],
    [
      ALGORITHMS,
      'No available authenticator supported any of the specified pubKeyCredParams algorithms',
      /supported any of the specified pubKeyCredParams|ERROR_AUTHENTICATOR_NO_SUPPORTED_PUBKEYCREDPARAMS/i,
    ],
    [ALGORITHMS, 'No entry in pubKeyCredParams was of type "public-key"', /No entry in pubKeyCredParams|ERROR_MALFORMED_PUBKEYCREDPARAMS/i],
    [
      { exception: 'UnknownError' },
      'The authenticator was unable to process the specified options, or could not create a new credential',
      /authenticator was unable to process the specified options|ERROR_AUTHENTICATOR_GENERAL_ERROR/i,
    ],
    [
      'aborted',
      'Registration ceremony was sent an abort signal',
      /ceremony was sent an abort signal|Cancelling existing WebAuthn API call|ERROR_CEREMONY_ABORTED/i,
    ],
    [
      'webauthnMissing',
      'WebAuthn is not supported in this browser',
      /(?:WebAuthn|passkeys? (?:is|are)|Web Authentication)[^.]{0,15}(?:is |are )?not supported (?:in|by|on) (?:this|the|your) (?:browser|device|platform)/i,
    ],
    ['cancelled', 'Authentication was not completed', /(?:Registration|Authentication) was not completed/i],
    [
      'optionsMissing',
      'options was missing required publicKey property',
      /missing required publicKey property|was not called correctly\. It looks like/i,
    ],
  ]),
];
