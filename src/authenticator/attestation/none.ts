import type { AttestationFormat } from './format.js';

/** §8.7: an empty statement. */
export const noneAttestation: AttestationFormat = { fmt: 'none', statement: () => new Map() };
