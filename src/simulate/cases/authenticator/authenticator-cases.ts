import type { Case } from '../../engine/case.js';
import { INVALID_TAG } from '../../engine/scenario.js';
import { CREDENTIALS } from './credentials.js';
import { FLAG_CASES } from './flags.js';
import { LAYOUTS } from './layout.js';
import { PUBLIC_KEYS } from './public-keys.js';
import { RP_ID_HASHES } from './rp-id-hash.js';
import { SIGN_COUNTS } from './sign-count.js';
import { SIGNATURES } from './signatures.js';
import { SIGNED_DATA } from './signed-data.js';
import { UNSIGNED_COPIES } from './unsigned-copies.js';
import { USER_HANDLES } from './user-handles.js';

const ALL: readonly Case[] = [
  ...RP_ID_HASHES,
  ...FLAG_CASES,
  ...LAYOUTS,
  ...PUBLIC_KEYS,
  ...UNSIGNED_COPIES,
  ...CREDENTIALS,
  ...USER_HANDLES,
  ...SIGNATURES,
  ...SIGNED_DATA,
  ...SIGN_COUNTS,
];

/** What comes from the authenticator: its data, the credential and its key, and signatures. */
export const AUTHENTICATOR_CASES: readonly Case[] = ALL.map((each) =>
  each.expected.outcome === 'rejected' ? { ...each, tags: [...each.tags, INVALID_TAG] } : each,
);
