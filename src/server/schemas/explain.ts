import * as Type from 'typebox';
import type { KnownFrom } from '../../explain/ceremonies.js';
import type { ExplainDocument } from '../../explain/document-schema.js';
import { MAX_TEXT_LENGTH } from '../../kernel/limits.js';
import { orNull } from '../../kernel/schema-kit.js';
import { Base64, Text } from './text.js';

export const DevExplainBody = Type.Object({
  input: Type.String({ minLength: 1, description: 'What was pasted or dropped: anything that `passkey explain` takes' }),
  encoding: Type.Optional(Type.Literal('base64', { description: '`input` is base64 or base64url of the bytes of a file' })),
  name: Type.Optional(Text({ minLength: 1, maxLength: MAX_TEXT_LENGTH, description: 'What messages call the input, such as a file name' })),
});

/** An explanation as `passkey explain --json` prints it, with what the page draws and compares. Only a single document has its tree. */
export type DevExplainDocument = ExplainDocument & {
  /** RegistrationResponseJSON or AuthenticationResponseJSON as it stands in the input. */
  response: Readonly<Record<string, unknown>> | null;
  /** Options that the response was held against, or that are the input; from the input or from this server: see `known_from`. */
  options: Readonly<Record<string, unknown>> | null;
  /** What the input is, in words. */
  kind_name: string;
  /** What the input does not say and this server knew. */
  known_from: readonly KnownFrom[];
};

/** The answer of `POST /dev/explain`. */
export interface DevExplainAnswer {
  documents: DevExplainDocument[];
}

/** `POST /dev/annotate`. It answers with an `Annotation`. */
export const DevAnnotateBody = Type.Object({
  response: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'RegistrationResponseJSON or AuthenticationResponseJSON, right or wrong' }),
  ),
  public_key: Type.Optional(Base64('COSE_Key of a credential record')),
  rp_id: Type.Optional(Text({ maxLength: MAX_TEXT_LENGTH, description: 'RP ID that the authenticator data should be for' })),
});

/** `POST /dev/browser-error`. It answers with an `Explanation`. */
export const DevBrowserErrorBody = Type.Object({
  name: Type.String({ maxLength: 200, description: 'Of the DOMException, or the code of the problem of `POST /dev/answer`' }),
  message: Type.String({ maxLength: 2_000 }),
  call: Type.Enum(['create', 'get']),
  mediation: Type.Optional(Type.Literal('conditional')),
  milliseconds: Type.Number({ minimum: 0 }),
  options: Type.Record(Type.String(), Type.Unknown(), { description: 'As JSON, of the call' }),
  origin: Type.String({ maxLength: 2_048 }),
  signalled: Type.Boolean({ description: 'The page has signalled a passkey that could answer as unknown or not accepted' }),
  secure_context: Type.Boolean(),
  permitted: orNull(Type.Boolean({ description: 'Whether the permissions policy allows the call; null where browsers do not tell' })),
  framed: Type.Boolean(),
  focused: Type.Boolean(),
  software: Type.Optional(Type.Boolean({ description: 'A software authenticator of this server was asked, not the browser' })),
});
