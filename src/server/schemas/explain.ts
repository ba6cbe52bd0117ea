import type { TSchema } from 'typebox';
import * as Type from 'typebox';
import type { KnownFrom } from '../../explain/ceremonies.js';
import type { ExplainDocument } from '../../explain/document-schema.js';
import { EXPECTATION_MEMBERS, type ExplainExpectations } from '../../explain/expectation-members.js';
import { MAX_TEXT_LENGTH } from '../../kernel/limits.js';
import { orNull } from '../../kernel/schema-kit.js';
import { Base64, Text } from './text.js';

const MEMBERS = EXPECTATION_MEMBERS;
const texts = (description: string) => Type.Union([Type.String(), Type.Array(Type.String())], { description });
const text = (description: string) => Type.String({ description });

/**
 * Expectations about a ceremony. They override what the input and this server know about the ceremony. Their values have the same form as
 * in `passkey-cli/explain`.
 */
const ExpectationsBody = Type.Partial(
  Type.Object({
    rpId: text(MEMBERS.rpId.meaning),
    origin: texts(MEMBERS.origin.meaning),
    challenge: text(MEMBERS.challenge.meaning),
    algorithms: Type.Array(Type.Union([Type.Integer(), Type.String()]), { description: MEMBERS.algorithms.meaning }),
    publicKey: Type.Union([Type.String(), Type.Record(Type.String(), Type.Unknown())], { description: MEMBERS.publicKey.meaning }),
    signCount: Type.Integer({ description: MEMBERS.signCount.meaning }),
    backupEligible: Type.Boolean({ description: MEMBERS.backupEligible.meaning }),
    appId: text(MEMBERS.appId.meaning),
    requireUserVerification: Type.Boolean({ description: MEMBERS.requireUserVerification.meaning }),
    mediation: text(MEMBERS.mediation.meaning),
    topOrigin: texts(MEMBERS.topOrigin.meaning),
    roots: Type.Array(Type.String(), { description: MEMBERS.roots.meaning }),
    selfAttestation: text(MEMBERS.selfAttestation.meaning),
    metadata: Type.Object({ blob: Type.String(), roots: Type.Array(Type.String()) }, { description: MEMBERS.metadata.meaning }),
    aaguidNames: Type.Record(Type.String(), Type.Unknown(), { description: MEMBERS.aaguidNames.meaning }),
    at: Type.Union([Type.String(), Type.Number()], { description: MEMBERS.at.meaning }),
  } satisfies Record<keyof ExplainExpectations, TSchema>),
  { additionalProperties: false },
);

export const DevExplainBody = Type.Object({
  input: Type.String({ minLength: 1, description: 'The pasted or dropped text: anything that `passkey explain` accepts' }),
  encoding: Type.Optional(Type.Literal('base64', { description: '`input` is base64 or base64url of the bytes of a file' })),
  name: Type.Optional(
    Text({ minLength: 1, maxLength: MAX_TEXT_LENGTH, description: 'Name of the input in messages, such as a file name' }),
  ),
  expectations: Type.Optional(ExpectationsBody),
});

/**
 * An explanation in the form of `passkey explain --json`, plus the data that the page draws and compares. Only the explanation of a single
 * document has a tree of its bytes.
 */
export type DevExplainDocument = ExplainDocument & {
  /** The response (RegistrationResponseJSON or AuthenticationResponseJSON) as it is in the input. */
  response: Readonly<Record<string, unknown>> | null;
  /**
   * The options that the response was checked against, or the input itself if the input consists of options. `known_from` tells whether the
   * options come from the server.
   */
  options: Readonly<Record<string, unknown>> | null;
  /** Name of the kind of input, such as "registration response". */
  kind_name: string;
  /** Facts that were missing in the input and that this server added. */
  known_from: readonly KnownFrom[];
};

/** Response of `POST /dev/explain`. */
export interface DevExplainAnswer {
  documents: DevExplainDocument[];
}

/** Body of `POST /dev/annotate`, whose response is an `Annotation`. */
export const DevAnnotateBody = Type.Object({
  response: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'RegistrationResponseJSON or AuthenticationResponseJSON, valid or not' }),
  ),
  public_key: Type.Optional(Base64('COSE_Key of a credential record')),
  rp_id: Type.Optional(Text({ maxLength: MAX_TEXT_LENGTH, description: 'RP ID that the authenticator data should be for' })),
});

/** Body of `POST /dev/browser-error`, whose response is an `Explanation`. */
export const DevBrowserErrorBody = Type.Object({
  name: Type.String({ maxLength: 200, description: 'Name of the DOMException, or the code of the problem of `POST /dev/answer`' }),
  message: Type.String({ maxLength: 2_000 }),
  call: Type.Enum(['create', 'get']),
  mediation: Type.Optional(Type.Literal('conditional')),
  milliseconds: Type.Number({ minimum: 0 }),
  options: Type.Record(Type.String(), Type.Unknown(), { description: 'The options of the call, as JSON' }),
  origin: Type.String({ maxLength: 2_048 }),
  signalled: Type.Boolean({ description: 'The page has signalled that a passkey which could answer is unknown or not accepted' }),
  secure_context: Type.Boolean(),
  permitted: orNull(Type.Boolean({ description: 'Whether the permissions policy allows the call; null if the browser does not say' })),
  framed: Type.Boolean(),
  focused: Type.Boolean(),
  software: Type.Optional(Type.Boolean({ description: 'Set if the page called a software authenticator of this server, not the browser' })),
});
