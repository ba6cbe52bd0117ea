import type { Case } from '../../engine/case.js';
import { INVALID_TAG } from '../../engine/scenario.js';
import { CHALLENGES } from './challenge.js';
import { CHALLENGE_LIVES } from './challenge-life.js';
import { FORGED_HEADERS } from './forged-headers.js';
import { FRAMES } from './frames.js';
import { FRESH_CHALLENGES } from './fresh-challenges.js';
import { ORIGINS } from './origin.js';
import { TEXTS } from './text.js';
import { TYPES } from './type.js';

const ALL: readonly Case[] = [
  ...TEXTS,
  ...TYPES,
  ...CHALLENGES,
  ...CHALLENGE_LIVES,
  ...FRESH_CHALLENGES,
  ...ORIGINS,
  ...FORGED_HEADERS,
  ...FRAMES,
];

/** What the client tells and the authenticator signs: type, challenge, origin and frames, and the text that holds them. */
export const CLIENT_DATA_CASES: readonly Case[] = ALL.map((each) =>
  each.expected.outcome === 'rejected' ? { ...each, tags: [...each.tags, INVALID_TAG] } : each,
);
