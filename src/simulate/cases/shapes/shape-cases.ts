import type { Case } from '../../engine/case.js';
import { MALFORMED_BODIES } from './bodies.js';
import { MALFORMED_CBOR } from './cbor.js';
import { MALFORMED_MEMBERS } from './members.js';
import { SINGLE_MEMBERS } from './single-members.js';
import { MALFORMED_TEXTS } from './texts.js';

/** Malformed JSON, base64 and CBOR: never accepted where something is missing, and never a failure of the target. */
export const INVALID_SHAPES: readonly Case[] = [
  ...MALFORMED_BODIES,
  ...SINGLE_MEMBERS,
  ...MALFORMED_MEMBERS,
  ...MALFORMED_TEXTS,
  ...MALFORMED_CBOR,
];
