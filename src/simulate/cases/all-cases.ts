import type { Case } from '../engine/case.js';
import { INVALID_TAG } from '../engine/scenario.js';
import { ALGORITHM_CASES } from './algorithms.js';
import { APPLICATIONS } from './applications.js';
import { ATTESTED_CASES } from './attestation/attestation-cases.js';
import { ATTESTATION_CASES } from './attestations.js';
import { AUTHENTICATIONS } from './authentications.js';
import { AUTHENTICATOR_CASES } from './authenticator/authenticator-cases.js';
import { CLIENT_DATA_CASES } from './client-data/client-data-cases.js';
import { CONFORMING_CASES } from './conforming/conforming-cases.js';
import { HTTP_OUTCOMES } from './http-outcomes.js';
import { INVALID_ATTESTATIONS } from './invalid-attestations.js';
import { KNOWN_CREDENTIALS } from './known-credentials.js';
import { OWN_PASSKEYS } from './own-passkeys.js';
import { CONCURRENT } from './races.js';
import { REGISTRATIONS } from './registrations.js';
import { SESSIONS } from './sessions.js';
import { INVALID_SHAPES } from './shapes/shape-cases.js';
import { SLOW_CASES } from './slow.js';

const INVALID = [...INVALID_ATTESTATIONS, ...INVALID_SHAPES];

/** Every case, in the order of a run. */
export const ALL_CASES: readonly Case[] = [
  ...REGISTRATIONS,
  ...AUTHENTICATIONS,
  ...ALGORITHM_CASES,
  ...ATTESTATION_CASES,
  ...ATTESTED_CASES,
  ...CONFORMING_CASES,
  ...INVALID.map((each) => ({ ...each, tags: [...each.tags, INVALID_TAG] })),
  ...CLIENT_DATA_CASES,
  ...AUTHENTICATOR_CASES,
  ...KNOWN_CREDENTIALS,
  ...APPLICATIONS,
  ...CONCURRENT,
  ...SLOW_CASES,
  ...SESSIONS,
  ...OWN_PASSKEYS,
  ...HTTP_OUTCOMES,
];
