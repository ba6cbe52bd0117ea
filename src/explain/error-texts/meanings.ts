import { CLIENT_MEANINGS } from './client-meanings.js';
import { SERVER_MEANINGS } from './server-meanings.js';

/** Cause and remedy of every known error text. */
export const MEANINGS = { ...SERVER_MEANINGS, ...CLIENT_MEANINGS };

export type MeaningName = keyof typeof MEANINGS;
