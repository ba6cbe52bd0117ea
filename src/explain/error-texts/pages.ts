import { type ErrorText, listTexts } from './row.js';

const V8 = {
  from: 'Chromium',
  version: '140',
  source: 'v8/v8 src/common/message-template.h, chromium/src third_party/blink/renderer/core/fetch',
};
const GECKO = {
  from: 'Firefox',
  version: '153',
  source: 'mozilla/gecko-dev js/public/friend/ErrorNumbers.msg, dom/locales/en-US/chrome/security/security.properties',
};
const JSC = {
  from: 'Safari',
  version: '2025-09',
  source: 'WebKit/WebKit Source/JavaScriptCore/runtime/ExceptionHelpers.cpp, Source/WebCore/loader',
};
const NODE = { from: 'Node', version: '22', source: 'nodejs/undici lib/web/fetch/index.js' };

const OPTION_MEMBERS =
  'publicKey|challenge|rp|rpId|user|pubKeyCredParams|allowCredentials|excludeCredentials|replace|optionsJSON|id|rawId|response|clientDataJSON';
const RECORD_MEMBERS = 'counter|credentialPublicKey|credentialID|transports|signCount';

/** Makes a pattern that matches the messages of JavaScript engines about reading one of the given members of undefined. */
const readingOf = (members: string) =>
  new RegExp(`Cannot (?:read propert(?:y|ies) (?:of (?:undefined|null) \\(reading )?|destructure property )['"](?:${members})['"]`, 'i');
const accessTo = (members: string) => new RegExp(`can't access property ["'](?:${members})["']`, 'i');
const evaluationOf = (members: string) => new RegExp(`(?:undefined|null) is not an object \\(evaluating '[^']*\\.(?:${members})'`, 'i');

/** Error messages that are not from WebAuthn itself: about failed requests, and about unexpected values in the code of a page or server. */
export const PAGE_TEXTS: readonly ErrorText[] = [
  ...listTexts(V8, [
    [
      'cors',
      "Access to fetch at 'http://localhost:3000/login/options' from origin 'http://localhost:5173' has been blocked by CORS policy: No 'Access-Control-Allow-Origin' header is present on the requested resource.",
      /blocked by CORS|CORS (?:policy|error|request did not succeed|preflight|header)|(?<!not allowed by )Access-Control-Allow-(?:Origin|Credentials|Headers|Methods)/i,
    ],
    [
      'network',
      'TypeError: Failed to fetch',
      /\bFailed to fetch\b(?! (?:dynamically|the \.well-known))|net::ERR_(?:FAILED|CONNECTION|NAME|CERT|SSL|ADDRESS|EMPTY)\w*|\bNetwork (?:Error|request failed)\b|\bERR_NETWORK\b/i,
    ],
    [
      'webauthnMissing',
      'ReferenceError: PublicKeyCredential is not defined',
      /PublicKeyCredential['"]? is (?:not defined|undefined)|'?credentials'? in navigator.{0,20}false/i,
    ],
    [
      'webauthnMissing',
      "TypeError: Cannot read properties of undefined (reading 'create')",
      readingOf('create|get|isUserVerifyingPlatformAuthenticatorAvailable|isConditionalMediationAvailable'),
    ],
    ['recordMissing', "TypeError: Cannot read properties of undefined (reading 'counter')", readingOf(RECORD_MEMBERS)],
    ['optionsMissing', "TypeError: Cannot read properties of undefined (reading 'publicKey')", readingOf(OPTION_MEMBERS)],
    [
      'base64',
      "InvalidCharacterError: Failed to execute 'atob' on 'Window': The string to be decoded is not correctly encoded.",
      /'atob' on|string to be decoded is not correctly encoded|contains characters outside of the Latin1 range/i,
    ],
    [
      'htmlAnswer',
      `SyntaxError: Unexpected token '<', "<!DOCTYPE "... is not valid JSON`,
      /Unexpected token '?<'?|is not valid JSON|Unexpected end of JSON input/i,
    ],
  ]),
  ...listTexts(GECKO, [
    [
      'cors',
      'Cross-Origin Request Blocked: The Same Origin Policy disallows reading the remote resource at http://localhost:3000/login/options.',
      /Cross-Origin Request Blocked|Same Origin Policy disallows/i,
    ],
    ['network', 'TypeError: NetworkError when attempting to fetch resource.', /NetworkError when attempting to fetch/i],
    ['optionsMissing', 'TypeError: can\'t access property "publicKey", options is undefined', accessTo(OPTION_MEMBERS)],
    ['optionsMissing', 'TypeError: options is undefined', /\b(?:options|optionsJSON|publicKey) is (?:undefined|null|not defined)\b/i],
    [
      'webauthnMissing',
      'TypeError: can\'t access property "create", navigator.credentials is undefined',
      /can't access property ['"](?:create|get)['"]|navigator\.credentials is (?:undefined|not defined|null)/i,
    ],
    ['recordMissing', 'TypeError: can\'t access property "counter", credential is undefined', accessTo(RECORD_MEMBERS)],
    [
      'base64',
      'InvalidCharacterError: String contains an invalid character',
      /String contains an invalid character|\bInvalidCharacterError\b(?!.{0,40}'atob')/i,
    ],
    ['htmlAnswer', 'SyntaxError: JSON.parse: unexpected character at line 1 column 1 of the JSON data', /JSON\.parse: unexpected/i],
  ]),
  ...listTexts(JSC, [
    [
      'cors',
      'Origin http://localhost:5173 is not allowed by Access-Control-Allow-Origin. Status code: 200',
      /is not allowed by Access-Control-Allow-Origin|due to access control checks/i,
    ],
    ['network', 'TypeError: Load failed', /\bTypeError: Load failed\b/i],
    ['webauthnMissing', "ReferenceError: Can't find variable: PublicKeyCredential", /Can't find variable: PublicKeyCredential/i],
    [
      'webauthnMissing',
      "TypeError: undefined is not an object (evaluating 'navigator.credentials.create')",
      /evaluating '(?:window\.)?navigator\.credentials/i,
    ],
    ['optionsMissing', "TypeError: undefined is not an object (evaluating 'options.publicKey')", evaluationOf(OPTION_MEMBERS)],
    ['recordMissing', "TypeError: undefined is not an object (evaluating 'authenticator.counter')", evaluationOf(RECORD_MEMBERS)],
    ['htmlAnswer', "SyntaxError: JSON Parse error: Unrecognized token '<'", /JSON Parse error/i],
  ]),
  ...listTexts({ ...NODE, source: 'nodejs/node lib/internal/crypto/webcrypto.js' }, [
    ['malformedKey', 'DataError: Invalid keyData', /\bInvalid keyData\b/i],
  ]),
  ...listTexts(NODE, [['network', 'TypeError: fetch failed', /\bfetch failed\b/i]]),
];
