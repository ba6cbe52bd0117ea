import { CLIENT_MEANINGS } from './client-meanings.js';
import { SERVER_MEANINGS } from './server-meanings.js';

/** The cause of every known error message, and how to fix it. */
export const MEANINGS = { ...SERVER_MEANINGS, ...CLIENT_MEANINGS };

export type MeaningName = keyof typeof MEANINGS;
