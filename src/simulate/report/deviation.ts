import type { Static } from 'typebox';
import * as Type from 'typebox';
import { strict } from '../../kernel/schema-kit.js';

const Status = Type.Optional(Type.Integer({ description: 'status code of the response' }));

const SignedInSchema = Type.Object(
  {
    user: Type.Enum(['owner', 'another', 'unknown'], { description: 'the owner of the passkey, or another user' }),
    known_by: Type.Optional(Type.Enum(['whoami', 'list', 'options'], { description: 'the response that names the user' })),
  },
  { ...strict, description: 'who is signed in after a login' },
);

const AcceptedSchema = Type.Object({ kind: Type.Literal('accepted'), status: Status, signed_in: Type.Optional(SignedInSchema) }, strict);

const RefusedSchema = Type.Object(
  {
    kind: Type.Literal('refused'),
    status: Status,
    code: Type.Optional(Type.String({ description: "the target's name for the failed check" })),
    otherwise: Type.Optional(Type.Literal(true, { description: 'a refusal was expected, with another status, code or step' })),
  },
  strict,
);

const FailedSchema = Type.Object(
  { kind: Type.Literal('failed'), status: Status },
  { ...strict, description: 'a response with status 5xx or 429' },
);

const UnreadableSchema = Type.Object(
  { kind: Type.Literal('unreadable'), status: Status },
  { ...strict, description: 'a response that the profile cannot read' },
);

const NoAnswerSchema = Type.Object({ kind: Type.Literal('no_answer') }, strict);

/** Ways in which one response of the target can differ from the expected response. */
const ANSWERS = [AcceptedSchema, RefusedSchema, FailedSchema, UnreadableSchema, NoAnswerSchema] as const;

/**
 * Difference between the target's response and the expected response, as data. Findings are derived from these data, never from message
 * text.
 */
export const DeviationSchema = Type.Union(
  [
    ...ANSWERS,
    Type.Object({ kind: Type.Literal('ended'), status: Status }, { ...strict, description: 'the server ended after its response' }),
    Type.Object(
      { kind: Type.Literal('not_prepared'), by: Type.Optional(Type.Union([...ANSWERS])) },
      { ...strict, description: 'the case ended before its actual test; "by" is the response to an earlier request, if known' },
    ),
    Type.Object(
      { kind: Type.Literal('no_response'), error: Type.Optional(Type.String({ description: 'e.g. "NotAllowedError"' })) },
      { ...strict, description: 'the client of this tool made no response to the options' },
    ),
    Type.Object(
      { kind: Type.Literal('differs'), signed_in: Type.Optional(SignedInSchema) },
      { ...strict, description: 'a value or a fact differs from the expected one' },
    ),
    Type.Object({ kind: Type.Literal('varies') }, { ...strict, description: 'repetitions of the case ended differently' }),
    Type.Object({ kind: Type.Literal('case_error') }, { ...strict, description: 'the case itself failed, which is a fault of this tool' }),
  ],
  { description: 'how the outcome differs from the expected one, as data' },
);

export type Deviation = Static<typeof DeviationSchema>;
export type AnswerDeviation = Extract<Deviation, { readonly kind: 'accepted' | 'refused' | 'failed' | 'unreadable' | 'no_answer' }>;
export type SignedIn = Static<typeof SignedInSchema>;

/** Deviations for a response that names a different user than the one who signed in. Each key says which response named the user. */
export const MIXED_UP_BY = {
  whoami: { kind: 'differs', signed_in: { user: 'another', known_by: 'whoami' } },
  list: { kind: 'differs', signed_in: { user: 'another', known_by: 'list' } },
  options: { kind: 'differs', signed_in: { user: 'another', known_by: 'options' } },
} as const satisfies Record<string, Deviation>;

/** Deviation for a value or fact that differs from the expected one. */
export const DIFFERS: Deviation = { kind: 'differs' };
