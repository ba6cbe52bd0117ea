import { encodeUtf8, toHex } from '../../../kernel/bytes.js';
import { count } from '../../../kernel/wording.js';
import { decodeBase64url, encodeBase64url } from '../../../webauthn/base64url.js';
import type { CeremonyKind } from '../../../webauthn/enumerations.js';
import { prepareActor, readyLogin, readyRegistration } from '../../engine/attempts.js';
import type { Case, Rows } from '../../engine/case.js';
import { isFull } from '../../engine/ceremony.js';
import { type CeremonyCase, isCeremonyCase } from '../../engine/ceremony-cases.js';
import type { CaseContext } from '../../engine/context.js';
import { padded } from '../../engine/edits.js';
import { notApplicable, ScenarioEnded } from '../../engine/scenario.js';
import { FOREIGN_CHALLENGE } from '../values.js';
import { type MemberRow, misplaced, wrongValues } from './members.js';

const REPLAY =
  'The challenge shows that a response was made just now, for you. With a looser comparison, an old or foreign response passes for a fresh one. Compare the whole string C.challenge with the base64url of the challenge that you issued.';
const ABSENT =
  'A response without a challenge was made for no particular ceremony, so it would pass in any. Refuse client data whose challenge is not a string before you compare it with anything.';
const ENCODING =
  'Browsers always write the challenge in base64url without padding (§5.8.1). A server that decodes leniently accepts several strings for one challenge, which defeats a list of used ones. Compare the string itself.';

/** The least number of bytes that a challenge must have (§13.4.3). */
const MIN_BYTES = 16;
const KEPT_CHARACTERS = 16;

/**
 * Counts the bytes of a challenge, or ends the case if there are fewer than {@link MIN_BYTES}. If a short challenge is altered, it may
 * equal another open challenge, and the case would prove nothing.
 */
function countBytes(challenge: string): number {
  const { length: bytes } = decodeBase64url(challenge);
  if (bytes >= MIN_BYTES) return bytes;
  throw notApplicable(`challenges have ${count(bytes, 'byte')}; at least ${MIN_BYTES} are required, §13.4.3`);
}

/** Makes a challenge of the same length as the given one, equal to it only in the first characters. */
function afterFirstCharacters(challenge: string): string {
  countBytes(challenge);
  const others = FOREIGN_CHALLENGE.repeat(Math.ceil(challenge.length / FOREIGN_CHALLENGE.length));
  return challenge.slice(0, KEPT_CHARACTERS) + others.slice(KEPT_CHARACTERS, challenge.length);
}

/** Makes another base64url string that decodes to the same bytes, by setting unused bits of the last character. */
function notCanonical(challenge: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  if (challenge.length % 4 === 0) throw notApplicable('the challenge has no spare bits in base64url');
  return `${challenge.slice(0, -1)}${alphabet[alphabet.indexOf(challenge.slice(-1)) + 1]}`;
}

function withPadding(challenge: string): string {
  if (challenge.length % 4 === 0) throw notApplicable('base64 of the challenge has no padding');
  return padded(challenge);
}

const zerosLike = (challenge: string) => encodeBase64url(new Uint8Array(countBytes(challenge)));

const ROWS: Rows<MemberRow> = {
  'challenge-unknown': { title: 'a challenge that was never issued', edit: () => FOREIGN_CHALLENGE, why: REPLAY },
  'challenge-empty': { title: 'an empty challenge', edit: () => '', why: ABSENT },
  'client-data-without-challenge': { title: 'client data without a challenge', edit: () => undefined, why: ABSENT, unreadable: true },
  'challenge-null': { title: 'null as challenge', edit: () => null, why: ABSENT, unreadable: true },
  'challenge-array': {
    title: 'an array that holds the right challenge',
    edit: (challenge) => [challenge],
    why: 'A loose comparison converts a list into a string. Check that C.challenge is a string, and compare without conversion.',
    unreadable: true,
  },
  'challenge-prefix': {
    title: 'the first half of the right challenge',
    edit: (challenge) => challenge.slice(0, challenge.length / 2),
    why: REPLAY,
  },
  'challenge-first-characters': {
    title: 'a challenge of the right length that begins with 16 characters of the right one',
    edit: afterFirstCharacters,
    why: 'If a server compares only a part of the challenge, or looks it up by a part, an attacker has to guess only that part. Compare the whole string.',
  },
  'challenge-longer': {
    title: 'the right challenge, followed by more characters',
    edit: (challenge) => `${challenge}${FOREIGN_CHALLENGE}`,
    why: REPLAY,
  },
  'challenge-surrounded': {
    title: 'the right challenge within a longer string',
    edit: (challenge) => `${FOREIGN_CHALLENGE}${challenge}${FOREIGN_CHALLENGE}`,
    why: REPLAY,
  },
  'challenge-padded': { title: 'the right challenge in padded base64', edit: withPadding, why: ENCODING },
  'challenge-hex': {
    title: 'the right challenge in hexadecimal digits',
    edit: (challenge) => toHex(decodeBase64url(challenge)),
    why: ENCODING,
  },
  'challenge-encoded-twice': {
    title: 'the right challenge, encoded twice',
    edit: (challenge) => encodeBase64url(encodeUtf8(challenge)),
    why: 'Only a page with its own encoding code sends this, and a server that accepts it has two strings for one challenge. Issue bytes, and compare C.challenge with their base64url.',
  },
  'challenge-not-canonical': { title: 'a different base64url string for the same bytes', edit: notCanonical, why: ENCODING },
  'challenge-zeros': {
    title: 'a challenge of zero bytes (0x00)',
    edit: zerosLike,
    why: 'A challenge that an attacker can guess protects nothing, and zeros come from a buffer that was never filled. Compare with the challenge that you issued, and find out where it gets lost.',
  },
};

const CHALLENGE = { member: 'challenge', code: 'challenge_unknown', step: 'challenge' };

const SAME_ALPHABET = 'the target’s challenges contain no character that differs between base64 and base64url';
const NO_CAPITAL = 'the target’s challenges contain no capital letter';

function inStandardAlphabet(challenge: string): string {
  if (!/[-_]/.test(challenge)) throw notApplicable(SAME_ALPHABET);
  return challenge.replaceAll('-', '+').replaceAll('_', '/');
}

function inLowerCase(challenge: string): string {
  if (!/[A-Z]/.test(challenge)) throw notApplicable(NO_CAPITAL);
  return challenge.toLowerCase();
}

const TRIES = 12;

/**
 * Repeats a case until its edit changes the challenge. One reason for repeating: about one random challenge in four reads the same in both
 * base64 alphabets. Before each new attempt the open challenge is used up, because the target might return it again.
 */
function untilItDiffers(each: CeremonyCase): CeremonyCase {
  return {
    ...each,
    async run(given) {
      let context = given;
      for (let tries = 1; tries < TRIES; tries += 1) {
        try {
          return await each.run(context);
        } catch (error) {
          const { verdict } = error instanceof ScenarioEnded ? error : { verdict: undefined };
          if (verdict?.status !== 'not_applicable' || ![SAME_ALPHABET, NO_CAPITAL].includes(verdict.reason)) throw error;
          await spendChallenge(context, each.ceremony);
          context = context.inNewSessions();
        }
      }
      return each.run(context);
    },
  };
}

/** Completes an honest ceremony to use up the challenge, because the target may return an open challenge again until it is used. */
async function spendChallenge(context: CaseContext, ceremony: CeremonyKind): Promise<void> {
  const session = await context.session(1);
  if (isFull(context, session)) return;
  const ready =
    ceremony === 'registration' ? await readyRegistration(context, session) : await readyLogin(await prepareActor(context, session));
  await ready.send();
}

/** Edits that change only some challenges, because others have no capital letter, `-` or `_`. */
const NOW_AND_THEN: Rows<MemberRow> = {
  'challenge-standard-alphabet': {
    title: 'the right challenge in standard base64',
    edit: inStandardAlphabet,
    why: ENCODING,
  },
  'challenge-lower-case': {
    title: 'the right challenge in lower case',
    edit: inLowerCase,
    why: 'Base64url is case-sensitive. A comparison that ignores case makes the challenge much easier to guess. Check that neither your code nor the collation of a database column ignores case.',
  },
};

/** Cases about how the server compares challenges (§7.1 step 8, §7.2 step 11). */
export const CHALLENGES: readonly Case[] = [
  ...wrongValues(CHALLENGE, ROWS),
  ...wrongValues(CHALLENGE, NOW_AND_THEN).filter(isCeremonyCase).map(untilItDiffers),
  ...misplaced(CHALLENGE, () => FOREIGN_CHALLENGE),
];
