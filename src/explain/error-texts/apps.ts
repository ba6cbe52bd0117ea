import { type ErrorText, type Exception, listTexts } from './row.js';

const RP_ID: Exception = { exception: 'SecurityError' };
const FRAME: Exception = { exception: 'NotAllowedError', permitted: false };
const REGISTERED: Exception = { exception: 'InvalidStateError', call: 'create' };
const PENDING: Exception = { exception: 'OperationError' };

const PLAY = {
  from: 'Google Play services',
  version: '2026',
  source: 'f-23/react-native-passkey issues 68 and corbado/flutter-passkeys issues 148, 177, 295',
};
const CREDENTIALS = {
  from: 'Android Credential Manager',
  version: 'androidx.credentials 1.5',
  source: 'androidx/androidx credentials/credentials/src/main/java/androidx/credentials/exceptions',
};
const ANDROID = {
  from: 'Android Credential Manager',
  version: 'Android 14 to 16',
  source: 'aosp-mirror/platform_frameworks_base services/credentials',
};
const APPLE = {
  from: 'Apple AuthenticationServices',
  version: 'iOS 17 to 26, macOS 14 to 26',
  source: 'peterferguson/react-native-passkeys issue 24, f-23/react-native-passkey issue 96',
};
const BITWARDEN = {
  from: 'Bitwarden',
  version: '2026',
  source: 'bitwarden/clients libs/common/src/platform/services/fido2/fido2-client.service.ts',
};
const KEEPASS = { from: 'KeePassXC', version: '2.7.12', source: 'keepassxreboot/keepassxc src/browser/BrowserMessageBuilder.cpp' };
const MANAGERS = {
  from: 'a password manager',
  version: 'Chromium 129 on, Firefox 119 on',
  source: 'keepassxreboot/keepassxc-browser issue 2298, aws-samples/amazon-cognito-passwordless-auth issue 94',
};

/** Error messages of phones and password managers. */
export const APP_TEXTS: readonly ErrorText[] = [
  ...listTexts(MANAGERS, [
    [
      'foreignCredential',
      "TypeError: 'toJSON' called on an object that does not implement interface PublicKeyCredential.",
      /called on an object that does not implement|Value of "this" must be of type|(?:getPublicKey|getTransports|getAuthenticatorData|getPublicKeyAlgorithm|toJSON) is not a function|Can only call PublicKeyCredential\.\w+ on instances/i,
    ],
    ['foreignCredential', 'TypeError: Illegal invocation', /\bIllegal invocation\b/i],
  ]),
  ...listTexts(BITWARDEN, [
    [RP_ID, "SecurityError: 'rp.id' cannot be used with the current origin", /'?rp\.?id'? cannot be used with the current origin/i],
    [FRAME, "NotAllowedError: Invalid 'sameOriginWithAncestors' value", /sameOriginWithAncestors/i],
    ['insecure', "SecurityError: 'origin' is not a valid https origin", /'origin' is not a valid https origin/i],
    ['managerRefused', 'Fido2VaultCredential is not enabled', /Fido2VaultCredential is not enabled|FallbackRequestedError/i],
  ]),
  ...listTexts(KEEPASS, [
    [RP_ID, 'Origin and RP ID do not match', /origin and RP ?ID do(?:es)? not match/i],
    [REGISTERED, 'Credential is excluded', /(?<!\ba )\bcredential (?:is|was) excluded/i],
    [
      'managerRefused',
      'Passkeys request canceled',
      /Passkeys? request cancell?ed|Unknown passkeys error|Attestation not supported|Wait for timer to expire/i,
    ],
    ['opaqueOrigin', 'Origin is empty or not allowed', /Origin is empty or not allowed/i],
    [{ exception: 'NotSupportedError', call: 'create' }, 'No supported algorithms were provided', /No supported algorithms were provided/i],
  ]),
  ...listTexts(PLAY, [
    ['assetLinks', '[50152] RP ID cannot be validated.', /RP ?ID (?:cannot|can't|could not|can not) be validated|\[50152\]/i],
    ['assetLinks', 'The incoming request cannot be validated', /incoming request (?:cannot|can't|could not) be validated/i],
    ['noCredential', '16: Cannot find a matching credential.', /Cannot find a matching credential/i],
    [
      'playServices',
      'During begin sign in, failure response from one tap: 10: Developer console is not set up correctly.',
      /failure response from one tap(?!.{0,30}matching credential)|\[28\d{3}\]/i,
    ],
  ]),
  ...listTexts({ ...PLAY, source: 'https://www.corbado.com/blog/google-play-services-passkey-error-codes', version: '26.06' }, [
    ['playServices', '[50196]', /\[50[01]\d{2}\](?!.{0,60}(?:RP ?ID|screen ?lock|validated))(?<!\[50152\]|\[50162\])/],
    [
      'passkeySync',
      '[50162] Unsuccessful result from folsom activity.',
      /\[50162\]|result from folsom activity|decrypt the private key from WebauthnCredentialSpecifics/i,
    ],
  ]),
  ...listTexts(CREDENTIALS, [
    [
      'assetLinks',
      'androidx.credentials.exceptions.domerrors.SecurityError',
      /domerrors\.SecurityError|androidx\.credentials\.TYPE_SECURITY_ERROR/,
    ],
    [
      'androidRequest',
      'androidx.credentials.TYPE_CREATE_PUBLIC_KEY_CREDENTIAL_DOM_EXCEPTION/androidx.credentials.TYPE_DATA_ERROR',
      /(?:androidx\.credentials\.TYPE_(?:DATA|ENCODING|CONSTRAINT)_ERROR|domerrors\.(?:Data|Encoding|Constraint)Error)(?!.{0,40}RP ID cannot be validated)/,
    ],
    [
      REGISTERED,
      'androidx.credentials.TYPE_CREATE_PUBLIC_KEY_CREDENTIAL_DOM_EXCEPTION/androidx.credentials.TYPE_INVALID_STATE_ERROR',
      /androidx\.credentials\.TYPE_INVALID_STATE_ERROR|domerrors\.InvalidStateError|excluded credentials exists on the local device/i,
    ],
    [
      'cancelled',
      'androidx.credentials.exceptions.CreateCredentialCancellationException: User cancelled the operation',
      /(?:Create|Get)CredentialCancellationException|TYPE_(?:USER_CANCELED|CREATE_CREDENTIAL_CANCELED|NOT_ALLOWED_ERROR)\b|domerrors\.NotAllowedError|activity is cancell?ed by the user/,
    ],
    [
      'androidProvider',
      'androidx.credentials.exceptions.CreateCredentialProviderConfigurationException: createCredentialAsync no provider dependencies found - please ensure the desired provider dependencies are added',
      /(?:Create|Get)CredentialProviderConfigurationException|no provider dependencies found|CREDENTIAL_PROVIDER_CONFIGURATION_EXCEPTION/,
    ],
    [
      'androidProvider',
      'androidx.credentials.exceptions.GetCredentialUnsupportedException: Your device does not support credential manager',
      /(?:Create|Get)CredentialUnsupportedException|device (?:does not|doesn't) support credential manager/i,
    ],
    [
      'credentialManager',
      'androidx.credentials.exceptions.CreateCredentialInterruptedException',
      /(?:Create|Get)CredentialInterruptedException|(?:Create|Get)CredentialUnknownException/,
    ],
  ]),
  ...listTexts(ANDROID, [
    [
      'noCreateOption',
      'androidx.credentials.exceptions.CreateCredentialNoCreateOptionException: No create options available.',
      /No create options? (?:are )?available|NoCreateOption|TYPE_NO_CREATE_OPTIONS?/i,
    ],
    [
      'noCredential',
      'androidx.credentials.exceptions.NoCredentialException: No credentials available',
      /\bNoCredentialException\b|No (?:viable )?credentials? (?:is |are )?available|TYPE_NO_CREDENTIAL\b/i,
    ],
  ]),
  ...listTexts(APPLE, [
    [
      'appleAssociation',
      "The operation couldn't be completed. Application with identifier ABCDE12345.com.example.app is not associated with domain shop.example",
      /Application (?:with identifier \S+ )?is not associated with (?:the )?domain|not associated with (?:the )?domain \S+\.\S+/i,
    ],
    [
      'appleAssociation',
      'Unable to verify webcredentials association of ABCDE12345.com.example.app with domain shop.example. Please try again in a few seconds.',
      /verify webcredentials association|webcredentials association/i,
    ],
    [
      'appleEntitlement',
      'The calling process does not have an application identifier. Make sure it is properly configured.',
      /does not have an application identifier/i,
    ],
    [PENDING, 'Request already in progress for specified application identifier.', /Request already in progress/i],
    [
      REGISTERED,
      "The operation couldn't be completed. (com.apple.AuthenticationServices.AuthorizationError error 1006.)",
      /AuthorizationError(?:Domain)?["']?,? (?:error|Code) ?[=:]? ?1006|matchedExcludedCredential/i,
    ],
    [
      'appleCancelled',
      "The operation couldn't be completed. (com.apple.AuthenticationServices.AuthorizationError error 1001.)",
      /AuthorizationError(?:Domain)?["']?,? (?:error|Code) ?[=:]? ?1001|ASAuthorizationError\w*\.?canceled/i,
    ],
    [
      'appleFailed',
      'Error Domain=com.apple.AuthenticationServices.AuthorizationError Code=1004',
      /AuthorizationError(?:Domain)?["']?,? (?:error|Code) ?[=:]? ?(?:1000|1002|1003|1004|1005)(?![^]*(?:associat|in progress|application identifier))|The request failed\. No Credentials were returned/i,
    ],
  ]),
];
