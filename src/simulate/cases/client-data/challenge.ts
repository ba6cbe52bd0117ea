import { encodeUtf8, toHex } from '../../../kernel/bytes.js';
import { decodeBase64url, encodeBase64url } from '../../../webauthn/base64url.js';
import type { Case, Rows } from '../../engine/case.js';
import { notApplicable, ScenarioEnded } from '../../engine/scenario.js';
import { FOREIGN_CHALLENGE } from '../values.js';
import { type MemberRow, misplaced, wrongValues } from './members.js';

const REPLAY =
  'The challenge shows that a response was made just now, for you. With a looser comparison an old or a foreign response is as good as a fresh one. Compare C.challenge, as a whole text, with the base64url of the challenge that you issued.';
const ABSENT =
  'A response without a challenge was made for nobody, and fits every ceremony. Refuse client data whose challenge is not a text, before it is compared with anything.';
const ENCODING =
  'Browsers write the challenge in base64url without padding (§5.8.1), and in no other way. A server that decodes leniently has several texts for one challenge, which gets past lists of used ones. Compare the text.';

/** Other text of the same bytes: the last character has bits that no byte needs. */
function notCanonical(challenge: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  if (challenge.length % 4 === 0) throw notApplicable('the challenge has no spare bits in base64url');
  return `${challenge.slice(0, -1)}${alphabet[alphabet.indexOf(challenge.slice(-1)) + 1]}`;
}

const zerosLike = (challenge: string) => encodeBase64url(new Uint8Array(decodeBase64url(challenge).length));

const ROWS: Rows<MemberRow> = {
  'challenge-unknown': { title: 'a challenge that was never issued', edit: () => FOREIGN_CHALLENGE, why: REPLAY },
  'challenge-empty': { title: 'an empty challenge', edit: () => '', why: ABSENT },
  'client-data-without-challenge': { title: 'client data without a challenge', edit: () => undefined, why: ABSENT, unreadable: true },
  'challenge-null': { title: 'null as challenge', edit: () => null, why: ABSENT, unreadable: true },
  'challenge-array': {
    title: 'an array that holds the right challenge',
    edit: (challenge) => [challenge],
    why: 'A list that is compared loosely with a text is turned into that text. Check that C.challenge is a text, and compare without conversion.',
    unreadable: true,
  },
  'challenge-prefix': {
    title: 'the first half of the right challenge',
    edit: (challenge) => challenge.slice(0, challenge.length / 2),
    why: REPLAY,
  },
  'challenge-first-characters': {
    title: 'a challenge of the right length that begins with 16 characters of the right one',
    edit: (challenge) => challenge.slice(0, 16) + FOREIGN_CHALLENGE.repeat(2).slice(16, challenge.length),
    why: 'Whoever compares a part of the challenge, or finds it by one, has only that part left against guessing. Compare the whole text.',
  },
  'challenge-longer': {
    title: 'the right challenge with more behind it',
    edit: (challenge) => `${challenge}${FOREIGN_CHALLENGE}`,
    why: REPLAY,
  },
  'challenge-surrounded': {
    title: 'the right challenge within a longer text',
    edit: (challenge) => `${FOREIGN_CHALLENGE}${challenge}${FOREIGN_CHALLENGE}`,
    why: REPLAY,
  },
  'challenge-lower-case': {
    title: 'the right challenge in lower case',
    edit: (challenge) => challenge.toLowerCase(),
    why: 'Base64url tells upper case from lower case: without it, half of the randomness is gone. Check that neither your code nor the collation of a database column ignores case.',
  },
  'challenge-padded': { title: 'the right challenge in padded base64', edit: (challenge) => `${challenge}=`, why: ENCODING },
  'challenge-hex': {
    title: 'the right challenge in hexadecimal digits',
    edit: (challenge) => toHex(decodeBase64url(challenge)),
    why: ENCODING,
  },
  'challenge-encoded-twice': {
    title: 'the right challenge, encoded twice',
    edit: (challenge) => encodeBase64url(encodeUtf8(challenge)),
    why: 'Only a page that encodes on its own sends this, and a server that takes it has two texts for one challenge. Issue bytes, and compare C.challenge with their base64url.',
  },
  'challenge-not-canonical': { title: 'other base64url text of the same bytes', edit: notCanonical, why: ENCODING },
  'challenge-zeros': {
    title: 'a challenge of zeros only',
    edit: zerosLike,
    why: 'A challenge that anybody can guess protects nothing; zeros are what is left of a buffer that was never filled. Compare with the challenge that you issued, and look for the place where it gets lost.',
  },
};

const CHALLENGE = { member: 'challenge', code: 'challenge_unknown', step: 'challenge' };

const SAME = 'the challenges of the target read the same in both alphabets of base64';

function inStandardAlphabet(challenge: string): string {
  if (!/[-_]/.test(challenge)) throw notApplicable(SAME);
  return challenge.replaceAll('-', '+').replaceAll('_', '/');
}

const TRIES = 12;

/** One of four random challenges reads the same in both alphabets: then the case begins anew, with another. */
function untilItDiffers(each: Case): Case {
  return {
    ...each,
    async run(context) {
      for (let tries = 1; tries < TRIES; tries += 1) {
        try {
          return await each.run(context);
        } catch (error) {
          const { verdict } = error instanceof ScenarioEnded ? error : { verdict: undefined };
          if (verdict?.status !== 'not_applicable' || verdict.reason !== SAME) throw error;
        }
      }
      return each.run(context);
    },
  };
}

const STANDARD_ALPHABET: Rows<MemberRow> = {
  'challenge-standard-alphabet': {
    title: 'the right challenge in the alphabet of standard base64',
    edit: inStandardAlphabet,
    why: ENCODING,
  },
};

/** §7.1 step 8, §7.2 step 11: what is compared, and how. */
export const CHALLENGES: readonly Case[] = [
  ...wrongValues(CHALLENGE, ROWS),
  ...wrongValues(CHALLENGE, STANDARD_ALPHABET).map(untilItDiffers),
  ...misplaced(CHALLENGE, () => FOREIGN_CHALLENGE),
];
