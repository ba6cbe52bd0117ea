import type { Case } from '../../engine/case.js';
import { CONFORMING_AUTHENTICATORS } from './authenticators.js';
import { CONFORMING_FLOWS } from './flows.js';
import { CONFORMING_MEMBERS } from './members.js';

/** What conforming clients and authenticators send, and servers seldom see. */
export const CONFORMING_CASES: readonly Case[] = [...CONFORMING_MEMBERS, ...CONFORMING_AUTHENTICATORS, ...CONFORMING_FLOWS];
