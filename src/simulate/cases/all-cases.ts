import { type Case, withTag } from '../engine/case.js';
import { INVALID_TAG } from '../engine/scenario.js';
import { ALGORITHM_CASES } from './algorithms.js';
import { APPLICATIONS } from './applications.js';
import { ATTESTED_CASES } from './attestation/attestation-cases.js';
import { ATTESTATION_CASES, INVALID_ATTESTATIONS } from './attestations.js';
import { FLAG_CASES, LAYOUTS } from './authenticator/authenticator-data.js';
import { CREDENTIALS } from './authenticator/credentials.js';
import { PUBLIC_KEYS } from './authenticator/public-keys.js';
import { RP_ID_HASHES } from './authenticator/rp-id-hash.js';
import { SIGN_COUNTS } from './authenticator/sign-count.js';
import { SIGNATURES } from './authenticator/signatures.js';
import { SIGNED_DATA } from './authenticator/signed-data.js';
import { UNSIGNED_COPIES } from './authenticator/unsigned-copies.js';
import { USER_HANDLES } from './authenticator/user-handles.js';
import { CHALLENGES } from './client-data/challenge.js';
import { CHALLENGE_LIVES, FRESH_CHALLENGES } from './client-data/challenge-life.js';
import { CHALLENGE_TOKENS } from './client-data/challenge-tokens.js';
import { CHALLENGES_OF_RUN } from './client-data/challenges-of-run.js';
import { CONFUSED } from './client-data/confused.js';
import { FRAMES } from './client-data/frames.js';
import { FORGED_HEADERS, ORIGINS } from './client-data/origin.js';
import { TEXTS } from './client-data/text.js';
import { TYPES } from './client-data/type.js';
import { CONFORMING_FLOWS } from './conforming/flows.js';
import { CONFORMING_AUTHENTICATORS, CONFORMING_MEMBERS } from './conforming/responses.js';
import { CREDENTIAL_LISTS } from './credential-lists.js';
import { EXCLUDED_FORMATS } from './excluded-formats.js';
import { EXCLUDED_MODELS } from './excluded-models.js';
import { EXPECTED_BY_REQUEST } from './expected-by-request.js';
import { FOR_ANOTHER_USER } from './for-another-user.js';
import { HTTP_OUTCOMES } from './http-outcomes.js';
import { GATES } from './lifecycle/gates.js';
import { RECOVERIES } from './lifecycle/recovery.js';
import { REMOVALS_AND_SIGN_OUTS } from './lifecycle/removals.js';
import { SIGN_INS } from './lifecycle/sign-ins.js';
import { SIGN_UPS } from './lifecycle/sign-ups.js';
import { UNKNOWN_USERS } from './lifecycle/unknown-users.js';
import { KNOWN_CREDENTIALS, OWN_PASSKEYS } from './passkeys.js';
import { PLAIN_CEREMONIES } from './plain-ceremonies.js';
import { SESSIONS } from './sessions.js';
import { MALFORMED_CBOR } from './shapes/cbor.js';
import { MALFORMED_MEMBERS } from './shapes/members.js';
import { SINGLE_MEMBERS } from './shapes/single-members.js';
import { MALFORMED_BODIES, MALFORMED_TEXTS } from './shapes/texts.js';
import { SIGNED_IN } from './signed-in.js';
import { CONCURRENT, SLOW_CASES } from './timing.js';
import { TWO_USERS } from './two-users.js';
import { USER_HANDLE_OPTIONS } from './user-handle-options.js';

/** Tags a case as an invalid ceremony if a correct server rejects it. */
const tagInvalid = (each: Case): Case =>
  each.expected.outcome === 'rejected' ? { ...each, tags: [...(each.tags ?? []), INVALID_TAG] } : each;

/** Cases about the authenticator's part of a response: its data, credentials, keys and signatures. */
const AUTHENTICATOR_CASES: readonly Case[] = [
  ...RP_ID_HASHES,
  ...EXPECTED_BY_REQUEST,
  ...FLAG_CASES,
  ...LAYOUTS,
  ...PUBLIC_KEYS,
  ...UNSIGNED_COPIES,
  ...CREDENTIALS,
  ...USER_HANDLES,
  ...SIGNATURES,
  ...SIGNED_DATA,
  ...SIGN_COUNTS,
].map(tagInvalid);

/** Cases about the client data: type, challenge, origin, frames and the JSON itself. */
const CLIENT_DATA_CASES: readonly Case[] = [
  ...TEXTS,
  ...TYPES,
  ...CHALLENGES,
  ...CHALLENGE_LIVES,
  ...FRESH_CHALLENGES,
  ...CHALLENGE_TOKENS,
  ...CHALLENGES_OF_RUN,
  ...ORIGINS,
  ...FORGED_HEADERS,
  ...FRAMES,
  ...CONFUSED,
].map(tagInvalid);

/** Valid but rarely seen ceremonies, which servers may wrongly refuse. */
const CONFORMING_CASES: readonly Case[] = [...CONFORMING_MEMBERS, ...CONFORMING_AUTHENTICATORS, ...CONFORMING_FLOWS].map(
  withTag('conforming'),
);

/** Cases with malformed JSON, base64 or CBOR. The target must neither crash nor accept incomplete input. */
const INVALID_SHAPES: readonly Case[] = [
  ...MALFORMED_BODIES,
  ...SINGLE_MEMBERS,
  ...MALFORMED_MEMBERS,
  ...MALFORMED_TEXTS,
  ...MALFORMED_CBOR,
];

/** Every case, in the default order of a run. */
export const ALL_CASES: readonly Case[] = [
  ...PLAIN_CEREMONIES,
  ...ALGORITHM_CASES,
  ...ATTESTATION_CASES,
  ...ATTESTED_CASES,
  ...EXCLUDED_FORMATS,
  ...EXCLUDED_MODELS,
  ...CONFORMING_CASES,
  ...[...INVALID_ATTESTATIONS, ...INVALID_SHAPES].map(tagInvalid),
  ...CLIENT_DATA_CASES,
  ...AUTHENTICATOR_CASES,
  ...KNOWN_CREDENTIALS,
  ...CREDENTIAL_LISTS,
  ...USER_HANDLE_OPTIONS,
  ...APPLICATIONS,
  ...TWO_USERS.map(tagInvalid),
  ...CONCURRENT,
  ...SLOW_CASES,
  ...SESSIONS,
  ...OWN_PASSKEYS,
  ...SIGNED_IN,
  ...FOR_ANOTHER_USER,
  ...REMOVALS_AND_SIGN_OUTS,
  ...SIGN_INS,
  ...RECOVERIES,
  ...UNKNOWN_USERS,
  ...GATES,
  ...SIGN_UPS,
  ...HTTP_OUTCOMES,
];
