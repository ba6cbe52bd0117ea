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

/** Matches what engines say of a member of undefined, by the name of the member. */
const readingOf = (members: string) =>
  new RegExp(`Cannot read propert(?:y|ies) (?:of (?:undefined|null) \\(reading )?['"](?:${members})['"]`, 'i');
const accessTo = (members: string) => new RegExp(`can't access property ["'](?:${members})["']`, 'i');
const evaluationOf = (members: string) => new RegExp(`(?:undefined|null) is not an object \\(evaluating '[^']*\\.(?:${members})'`, 'i');

/** Texts of the platform around WebAuthn: requests, and the code of a page or a server that meets a value it does not expect. */
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
      /\bFailed to fetch\b(?! (?:dynamically|the \.well-known))|net::ERR_(?:FAILED|CONNECTION|NAME|CERT|SSL|ADDRESS|EMPTY)\w*/i,
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
    ['network', 'TypeError: Load failed', /\bTypeError: Load failed\b|^["'\s]*Load failed["'\s.]*$/i],
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
  ...listTexts(NODE, [['network', 'TypeError: fetch failed', /\bfetch failed\b/i]]),
];

const ANY = { from: 'an application', version: 'any', source: 'no library: words that applications use' };

/** What applications say in their own words: they count where no text of a library is found. */
export const GENERAL_TEXTS: readonly ErrorText[] = listTexts(
  ANY,
  [
    [
      'expiredChallenge',
      'Challenge expired',
      /challenge[^.]{0,40}?(?:expired|timed?[ _-]?out|too[ _-]old|is[ _-]stale)|(?:expired|stale|outdated)[ _-](?:\w+[ _-])?challenge/i,
    ],
    [
      'noChallenge',
      'Challenge not found',
      /challenge[^.]{0,30}?(?:not[ _-]?found|missing|not[ _-]?set|is[ _-](?:undefined|null|required)|no longer|does[ _-]?not[ _-]?exist)|(?:\bno|missing|unknown|could not find(?: the)?|cannot find(?: the)?)[ _-](?:\w+[ _-]){0,2}challenge/i,
    ],
    [
      'challenge',
      'Challenge mismatch',
      /challenge[^.]{0,40}?(?:mismatch|(?:does|did|do)(?:[ _-]not|n't)[ _-](?:match|equal)|verification[ _-]failed|not[ _-](?:valid|equal)|is[ _-](?:invalid|wrong)|differs?\b)|(?:invalid|wrong|unexpected|incorrect|bad|mismatched)[ _-](?:\w+[ _-]){0,2}challenge/i,
    ],
    [
      'unknownCredential',
      'Passkey not found',
      /(?:passkeys?|credentials?|authenticators?|security[ _-]?keys?)(?:[ _-]\w+){0,3}?[ _-]?(?:(?:is|was|were|are|could)[ _-])?(?:not[ _-]?(?:be[ _-]?)?(?:found|registered|recogni[sz]ed|known|exist)|unknown|(?:does|did)(?:[ _-]?not|n't)[ _-]?exist)|(?:unknown|unrecogni[sz]ed|unregistered|no[ _-](?:such|matching)|(?:could not|couldn't|cannot|can't|unable to|failed to) find (?:a |the |any |your |this )?(?:matching )?)[ _-]?(?:passkey|credential|authenticator|security[ _-]key)|\bno (?:passkeys?|credentials?) (?:found|registered|for this)/i,
    ],
    [
      'unknownUser',
      'User not found',
      /\b(?:user|account)(?:[ _-]\w+){0,2}?[ _-]?(?:(?:is|was|could)[ _-])?(?:not[ _-]?(?:be[ _-]?)?(?:found|exist|registered)|unknown|(?:does|did)(?:[ _-]?not|n't)[ _-]?exist)|(?:no[ _-]such|unknown|unrecogni[sz]ed|(?:could not|couldn't|cannot|can't|unable to|failed to) find (?:a |the |any |this )?)[ _-]?(?:user|account)\b(?!-agent| agent)/i,
    ],
    [
      'origin',
      'Origin mismatch: expected http://localhost:3000, received http://localhost:5173',
      /\borigin[^.]{0,20}?(?:mismatch|(?:does|did|do)(?:[ _-]not|n't)[ _-]match|not[ _-](?:expected|allowed|valid|trusted|permitted)|is[ _-](?:invalid|wrong|unexpected))|(?:invalid|wrong|unexpected|incorrect|untrusted|disallowed|bad)[ _-](?:\w+[ _-]){0,2}origin\b/i,
    ],
    [
      'rpId',
      'RP ID mismatch',
      /\b(?:rp|relying[ _-]?party)[ _-]?id[ _-]?(?:hash)?[^.]{0,25}?(?:mismatch|(?:does|did|do)(?:[ _-]not|n't)[ _-]match|not[ _-](?:expected|allowed|valid)|is[ _-](?:invalid|wrong|unexpected))|(?:invalid|wrong|unexpected|incorrect|bad)[ _-](?:\w+[ _-])?(?:rp|relying[ _-]?party)[ _-]?id\b/i,
    ],
    [
      'userVerified',
      'User not verified',
      /\buser[ _-](?:was|is|has|could)?[ _-]?not[ _-](?:be(?:en)?[ _-])?verified|\buser[ _-]verification[^.]{0,20}?(?:required|failed|missing|not[ _-])|(?:missing|without|lacks?|no)[ _-]user[ _-]verification/i,
    ],
    [
      'userPresent',
      'User not present',
      /\buser[ _-](?:was|is)?[ _-]?not[ _-]present|user[ _-]presence[^.]{0,20}?(?:required|failed|missing|not)/i,
    ],
    [
      'signature',
      'Signature verification failed',
      /\bsignature[^.]{0,25}?(?:verification[ _-]failed|mismatch|(?:does|did|could)(?:[ _-]not|n't)[ _-](?:match|verify|be verified)|not[ _-]valid|is[ _-](?:invalid|wrong))|(?:invalid|wrong|bad|incorrect)[ _-](?:assertion[ _-]|passkey[ _-]|webauthn[ _-])?signature\b/i,
    ],
    [
      'signCount',
      'Counter did not increase',
      /\b(?:sign(?:ature)?[ _-]?)?count(?:er)?\b[^.]{0,30}?(?:did(?:[ _-]not|n't)|not)[ _-](?:increase|grow|advance|greater)|(?:possible |potentially |detected )(?:a )?cloned?[ _-](?:authenticator|credential)|cloned authenticator|counter (?:regress|rollback|mismatch)|replay(?:ed)? (?:attack )?detected/i,
    ],
    [
      'algorithm',
      'Unsupported algorithm',
      /(?:unsupported|unexpected|disallowed)[ _-](?:\w+[ _-]){0,3}?(?:cose[ _-])?alg(?:orithm)?\b|\balg(?:orithm)?[ _-](?:-?\d+[ _-])?(?:is[ _-])?not[ _-](?:supported|allowed)/i,
    ],
    [
      'registeredAlready',
      'Credential already registered',
      /(?:passkey|credential|authenticator|security[ _-]key)(?:[ _-]\w+){0,2}[ _-]already[ _-](?:been[ _-])?(?:registered|exists?|in use|enrolled)|already (?:registered|enrolled) (?:this|that|the) (?:passkey|credential|authenticator)/i,
    ],
    [
      'credentialOwner',
      'Passkey does not belong to this user',
      /(?:passkey|credential|authenticator)(?:[ _-]\w+){0,2}[ _-](?:(?:does|did)(?:[ _-]not|n't)[ _-]belong|belongs[ _-]to[ _-](?:another|a[ _-]different))|user[ _-]?handle[^.]{0,20}?(?:mismatch|(?:does|did)(?:[ _-]not|n't)[ _-]match)/i,
    ],
    ['backupEligibility', 'Backup eligibility changed', /backup[ _-]?eligib\w+[^.]{0,40}?(?:changed|mismatch|inconsisten|differ)/i],
    [
      'aaguid',
      'AAGUID is not allowed',
      /\baaguid\b[^.]{0,60}?(?:not[ _-](?:allowed|acceptable|accepted|trusted|permitted|in)|is[ _-](?:blocked|prohibited))|(?:untrusted|unknown|disallowed)[ _-]aaguid/i,
    ],
    [
      'certificate',
      'The TLS certificate is not trusted',
      /\b(?:TLS|SSL|HTTPS)\b[^.]{0,25}certificate[^.]{0,25}(?:invalid|not (?:valid|trusted)|untrusted|expired|self-signed)|certificate (?:error|is not trusted)/i,
    ],
  ],
  true,
);
