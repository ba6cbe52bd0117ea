import { type ErrorText, type Exception, listTexts } from './row.js';

const ANY = { from: 'an application', version: 'any', source: 'applications' };
const RP_ID: Exception = { exception: 'SecurityError' };

const PASSKEY = '(?:passkey|credential|authenticator|security key)s?';
const USER = '(?:user|account)';
const SOME = '(?:a |an |the |any |your |this |that )?(?:matching )?';
const NOT_THERE =
  '(?:is |was |were |are |could )?(?:not (?:be )?(?:found|registered|recogni[sz]ed|known|exist)|unknown|does not exist|do not exist)';
const NOT_FOUND = `(?:unknown|unrecogni[sz]ed|unregistered|no such|no matching|(?:could not|can not|unable to|failed to) (?:find|locate|look up) ${SOME})`;
const WRONG = '(?:invalid|wrong|unexpected|incorrect|bad|mismatched|mismatching)';
const MISMATCH =
  '(?:mismatch(?:ed)?|(?:does|did|do) not (?:match|equal|verify)|not (?:equal|match|matching|valid|expected|allowed|trusted|permitted)|(?:is|was) (?:invalid|wrong|unexpected|incorrect)|differs?\\b|(?:verification|validation) failed|could not be verified)';

const either = (...alternatives: readonly string[]) => new RegExp(alternatives.map((one) => `\\b${one}`).join('|'));

/**
 * Phrases that applications use in error messages, grouped by member of the response. The patterns match plain words in lower case:
 * `challenge_expired` and `ChallengeExpired` become two words, and `doesn't` becomes `does not`.
 */
export const WORDS: readonly ErrorText[] = listTexts(
  ANY,
  [
    [
      'expiredChallenge',
      'Challenge expired',
      either('challenge (?:\\w+ ){0,5}?(?:expired|timed out|timeout|too old|stale)', '(?:expired|stale|outdated) (?:\\w+ )?challenge'),
    ],
    [
      'noChallenge',
      'Challenge not found',
      either(
        'challenge (?:\\w+ ){0,4}?(?:not found|missing|not set|is undefined|is null|is required|no longer|does not exist|lost)',
        'challenge (?:\\w+ ){0,3}?(?:used|consumed)\\b',
        '(?:no|missing|unknown|without|(?:could|can) not find) (?:\\w+ ){0,2}challenge',
      ),
    ],
    [
      'challenge',
      'Challenge mismatch',
      either(
        `challenges? (?:\\w+ ){0,4}?${MISMATCH}`,
        `${WRONG} (?:\\w+ ){0,2}challenge`,
        '(?:failed to|could not|can not) verify (?:\\w+ ){0,2}challenge',
      ),
    ],
    [
      'registeredAlready',
      'Credential already registered',
      either(
        `${PASSKEY} (?:\\w+ ){0,3}?already (?:been )?(?:registered|exists?|in use|enrolled|added)`,
        `already (?:registered|enrolled|added) ${SOME}${PASSKEY}`,
        'duplicate (?:passkey|credential)',
      ),
    ],
    [
      'credentialOwner',
      'Passkey does not belong to this user',
      either(
        `${PASSKEY} (?:\\w+ ){0,2}?(?:does not belong|belongs to (?:another|a different)|not owned by)`,
        `user ?handle (?:\\w+ ){0,3}?${MISMATCH}`,
        `${WRONG} user ?handle`,
      ),
    ],
    [
      'unknownCredential',
      'Passkey not found',
      either(
        `${PASSKEY} (?:\\w+ ){0,3}?${NOT_THERE}`,
        `${NOT_FOUND} ?${PASSKEY}`,
        'no (?:passkeys?|credentials?|authenticators?) (?:\\w+ )?(?:found|registered|for)',
        'invalid (?:passkey|credential)(?! type| public| key)',
      ),
    ],
    [
      'unknownUser',
      'User not found',
      either(
        `${USER} (?:\\w+ ){0,3}?${NOT_THERE}`,
        `${NOT_FOUND} ?${USER}\\b(?! agent)`,
        `no ${USER} (?:\\w+ )?(?:found|for|with|exists|matches)`,
      ),
    ],
    [
      RP_ID,
      'The RP ID is not valid for the domain of this page',
      either(`(?:rp|relying party) ?id (?:\\S+ ){0,3}?(?:${MISMATCH}|can not be used|not a) (?:\\w+ ){0,3}?(?:origin|domain|host|page)`),
    ],
    [
      'rpId',
      'RP ID mismatch',
      either(`(?:rp|relying party) ?id (?:hash )?(?:\\S+ ){0,4}?${MISMATCH}`, `${WRONG} (?:\\w+ )?(?:rp|relying party) ?id`),
    ],
    [
      'origin',
      'Origin mismatch: expected http://localhost:3000, received http://localhost:5173',
      either(`origin\\b.{0,90}?${MISMATCH}`, `(?:${WRONG}|expected|untrusted|disallowed|unknown) (?:\\w+ ){0,2}origin\\b`),
    ],
    [
      'userVerified',
      'User not verified',
      either(
        'user (?:was |is |has |could )?not (?:be )?(?:been )?verified',
        'user verification (?:\\w+ ){0,2}?(?:required|failed|missing|not)',
        '(?:missing|without|lacks?|no) user verification',
      ),
    ],
    [
      'userPresent',
      'User not present',
      either('user (?:was |is )?not present', 'user presence (?:\\w+ ){0,2}?(?:required|failed|missing|not)'),
    ],
    [
      'signature',
      'Signature verification failed',
      either(
        `signature (?:\\w+ ){0,3}?${MISMATCH}`,
        `${WRONG} (?:assertion |passkey |webauthn )?signature`,
        '(?:failed to|could not|can not) verify (?:\\w+ ){0,3}?signature',
      ),
    ],
    [
      'signCount',
      'Counter did not increase',
      either(
        '(?:sign(?:ature)? )?count(?:er)? (?:\\w+ ){0,4}?not (?:increased?|grown?|advanced?|greater)',
        'counter (?:regress\\w*|rollback|mismatch|decreased)',
        'cloned? (?:authenticator|credential|passkey)',
        '(?:authenticator|credential|passkey) (?:\\w+ ){0,3}?cloned',
      ),
    ],
    [
      'algorithm',
      'Unsupported algorithm',
      either(
        '(?:unsupported|disallowed) (?:\\w+ ){0,3}?alg(?:orithm)?s?\\b',
        'alg(?:orithm)? (?:\\S+ )?(?:is )?not (?:supported|allowed|in|one of|among)',
      ),
    ],
    [
      'backupEligibility',
      'Backup eligibility changed',
      either('backup ?eligib\\w+ (?:\\w+ ){0,4}?(?:changed|mismatch|inconsisten\\w*|differs?|not match)'),
    ],
    [
      'aaguid',
      'AAGUID is not allowed',
      either(
        'aaguid\\b.{0,60}?(?:not (?:allowed|acceptable|accepted|trusted|permitted|in)|blocked|prohibited|denied)',
        '(?:untrusted|unknown|disallowed|unaccepted) aaguid',
      ),
    ],
    ['network', 'Load failed', /(?:^|[^\w\s] ?)load failed\b/],
    [
      'cancelled',
      'The browser did not provide a passkey',
      either(
        'user ?cancell?ed(?= *$|[^\\w\\s])',
        '(?:passkey|webauthn|registration|authentication|sign in|login) (?:\\w+ ){0,3}cancell?ed',
        'no passkey (?:was )?(?:selected|chosen|provided)',
        'did not provide a passkey',
      ),
    ],
  ],
  'words',
);
