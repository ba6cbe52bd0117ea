import { createHash } from 'node:crypto';
import { describe, expect } from 'vitest';
import { quick, thorough } from '../thorough.js';
import { type CatalogueOptions, reportFaults } from './catalogue.js';
import type { Policy } from './party.js';

type NewChallenge = NonNullable<Policy['newChallenge']>;

/** Challenges of so many bytes that no program can tell from random ones. */
function hashed(bytes: number): NewChallenge {
  let drawn = 0;
  return () => {
    drawn += 1;
    return createHash('shake256', { outputLength: bytes }).update(String(drawn)).digest('base64url');
  };
}

/** Challenges of so many bytes, each another one. */
function counted(bytes: number): NewChallenge {
  let drawn = 0;
  return () => {
    drawn += 1;
    const challenge = Buffer.alloc(bytes, drawn % 251);
    challenge[bytes - 1] = drawn % 256;
    if (bytes > 1) challenge[0] = drawn >> 8;
    return challenge.toString('base64url');
  };
}

/** Challenges whose text is a number. */
function numeric(): NewChallenge {
  let drawn = 0;
  return () => String(1_000_000_000_000_000 + drawn++);
}

const ODD: Readonly<Record<string, () => CatalogueOptions>> = {
  'challenges of 1 byte': () => ({ policy: { newChallenge: counted(1) } }),
  'challenges of 8 bytes': () => ({ policy: { newChallenge: counted(8) } }),
  'challenges of 12 bytes': () => ({ policy: { newChallenge: counted(12) } }),
  'challenges of 16 bytes': () => ({ policy: { newChallenge: hashed(16) } }),
  'challenges of 64 bytes': () => ({ policy: { newChallenge: hashed(64) } }),
  'challenges of 1023 bytes': () => ({ policy: { newChallenge: hashed(1023) } }),
  'numeric challenges': () => ({ policy: { newChallenge: numeric() } }),
  'user handles of 12 bytes': () => ({ policy: { handleBytes: 12 } }),
  'user handles of 64 bytes': () => ({ policy: { handleBytes: 64 } }),
  'an RP ID of one label': () => ({ origin: 'https://intranet' }),
  'an RP ID of two letters': () => ({ origin: 'https://a.b:8443' }),
};

/** Those that are made of such values. */
const SOME = ['*.challenge-*', '*.default', '*.user-handle-*', '*.origin-*', '*.rp-id-hash*'];
const names = Object.keys(ODD);

/** Of challenges that are short and counted this is told, and nothing else. */
const OF_CHALLENGES = /\.challenge-(?:length|guessable)$/;
const COUNTED = ['challenges of 1 byte', 'challenges of 8 bytes', 'challenges of 12 bytes', 'numeric challenges'];

async function alarms(name: string, cases?: readonly string[]): Promise<readonly string[]> {
  const { results } = await reportFaults([], { ...ODD[name]?.(), ...(cases && { cases }) });
  return results
    .filter(({ id, status }) => status === 'failed' && !(COUNTED.includes(name) && OF_CHALLENGES.test(id)))
    .map(({ id, mismatches }) => `${id}: ${JSON.stringify(mismatches)}`);
}

describe('a correct party with odd values raises no alarm:', () => {
  quick.each(names.filter((_, index) => index % 11 === 0))('%s', async (name) => expect(await alarms(name, SOME)).toEqual([]));
  thorough.each(names)('%s (whole)', async (name) => expect(await alarms(name)).toEqual([]));
});

describe('of challenges that are too short', () => {
  quick.each([1, 8, 12, 15])('the run says how many bytes there are (%i)', async (bytes) => {
    const cases = ['*.challenge-first-characters'];
    const { results } = await reportFaults([], { policy: { newChallenge: counted(bytes) }, cases });
    const reason = `challenges have ${bytes} byte${bytes === 1 ? '' : 's'}; at least 16 are required, §13.4.3`;
    expect(results.map(({ status, reason: said }) => [status, said])).toEqual([
      ['not_applicable', reason],
      ['not_applicable', reason],
    ]);
  });

  quick('16 bytes are enough', async () => {
    const { results } = await reportFaults([], { policy: { newChallenge: counted(16) }, cases: ['*.challenge-first-characters'] });
    expect(results.map(({ status }) => status)).toEqual(['passed', 'passed']);
  });
});

/** The first ones read the same in both alphabets, and have no capital letter. */
function lateDifferent(same: number): NewChallenge {
  let drawn = 0;
  return () => {
    drawn += 1;
    const text = String(10_000_000 + drawn);
    return drawn <= same ? text : `${text}A_-A`;
  };
}

quick.each(['given-again', undefined] as const)('challenges are drawn until one is of use (open ones %s)', async (openChallenges) => {
  const cases = ['*.challenge-standard-alphabet', '*.challenge-lower-case'];
  const policy = { newChallenge: lateDifferent(5), ...(openChallenges && { openChallenges }) };
  const { results } = await reportFaults([], { policy, cases });
  expect(results.map(({ id, status }) => [id, status])).toEqual(results.map(({ id }) => [id, 'passed']));
  expect(results).toHaveLength(4);
});
