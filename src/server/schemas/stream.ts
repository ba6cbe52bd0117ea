import * as Type from 'typebox';
import type { ExplainDocument } from '../../explain/document-schema.js';
import type { Explanation } from '../../explain/error-texts/meaning.js';
import type { Fixture } from '../../fixture/format.js';
import { orNull, timestamp } from '../../kernel/schema-kit.js';

const text = orNull(Type.String());

/** Types of changes that the stream reports. Changes of users and tokens come from other processes, on the command line. */
export type StreamChangeType =
  | 'registered'
  | 'renamed'
  | 'revoked'
  | 'restored'
  | 'purged'
  | 'user-added'
  | 'user-edited'
  | 'user-removed'
  | 'token-created'
  | 'token-revoked'
  | 'session-opened'
  | 'session-ended';

const Step = Type.Object({
  section: Type.Enum(['7.1', '7.2']),
  number: Type.Integer(),
  slug: Type.String(),
  title: Type.String(),
  expected: Type.String(),
  received: Type.String(),
  hint: Type.String(),
});

const Software = Type.Object(
  {
    persona: orNull(
      Type.String({ maxLength: 200, description: 'plain: of none. Null: a browser made the response, and it was broken here.' }),
    ),
    tamper: orNull(Type.String({ maxLength: 200, description: 'Id of the mutation.' })),
    title: Type.Optional(Type.String({ maxLength: 200, description: 'Title of the mutation.' })),
  },
  { description: 'Answered by a software authenticator of this server, or broken by it; or it was asked and gave no answer.' },
);

/** One entry in the stream of the test page: a ceremony, a refused request or a change of a passkey. */
export const StreamEntry = Type.Object({
  id: Type.String({ description: 'Never used again, after a restart either.' }),
  at: Type.String({ ...timestamp, description: 'When it began, or the request came.' }),
  finished_at: orNull(timestamp),
  kind: Type.Enum(['registration', 'authentication', 'request', 'change'], {
    description:
      'request: one that was refused, or answered as POST /dev/next says, and belongs to no ceremony. change: a passkey was renamed, revoked, restored or purged; on the command line also registered, or a user or a token was changed.',
  }),
  state: Type.Enum(['open', 'verified', 'rejected', 'refused', 'scripted', 'expired', 'elsewhere', 'changed', 'undecided'], {
    description:
      'undecided: of another site, which has not said whether it accepts. open: begun, and its challenge still good. elsewhere: another process on the same database was answered. refused, scripted: of a request.',
  }),
  via: orNull(Type.String({ description: 'Endpoint or command of the last that was heard of it; of a refused request, with its method.' })),
  page: Type.Boolean({ description: 'It bears the mark of the test page.' }),
  user_agent: text,
  address: text,
  request_ids: Type.Array(Type.String(), { description: 'Ids of all requests of the entry, in order.' }),
  rp_id: text,
  origins: Type.Array(Type.String()),
  owner: orNull(Type.String({ description: 'TYPE:ID' })),
  user: orNull(Type.String({ description: 'E-mail of the owner.' })),
  passkey: orNull(Type.Object({ id: Type.Integer(), label: text })),
  code: orNull(Type.String({ description: 'Of the problem.' })),
  message: orNull(Type.String({ description: 'Detail of the problem; of a change, what was changed and why.' })),
  step: orNull(Step),
  status: orNull(Type.Integer({ description: 'HTTP status of the last answer.' })),
  changed_options: Type.Array(Type.String(), {
    description: "Members of the options that this server's own policy would have given otherwise, such as extensions.prf.",
  }),
  software: orNull(Software),
  browser: orNull(
    Type.Object(
      { error: text, message: text, milliseconds: Type.Number() },
      { description: 'What a page told of its call of the browser, or of the software authenticator.' },
    ),
  ),
  foreign: Type.Optional(
    Type.Object(
      {
        origin: Type.String(),
        requests: Type.Integer(),
        command: orNull(Type.String({ description: 'Starts a server that these pages may call.' })),
      },
      { description: 'Requests of the pages of one other origin, folded into this entry: their origin, and how many.' },
    ),
  ),
  site: Type.Optional(Type.String({ description: 'Origin of another site, which `passkey browse` follows.' })),
});
export type StreamEntry = Type.Static<typeof StreamEntry>;

/** Response of `GET /dev/stream`. The newest entry comes first. */
export interface StreamDocument {
  entries: StreamEntry[];
}

/** Response of `GET /dev/stream/:id`: all facts about an entry. Facts that are no longer kept, or never were, are null. */
export interface StreamDetail extends StreamEntry {
  /** HTTP method of the last request. */
  method: string | null;
  path: string | null;
  /** Title of the problem document. */
  title: string | null;
  /** The options as they were sent. The challenge is left out while it is valid. */
  options: Record<string, unknown> | null;
  /** RegistrationResponseJSON or AuthenticationResponseJSON, without secrets. */
  response: Record<string, unknown> | null;
  change: { type: StreamChangeType; reason: string | null } | null;
  /** The explanation in the form of `passkey explain --json`, from the facts at that time, without the tree of bytes. */
  explanation: ExplainDocument | null;
  /** Explains the error that a page reported, from its options and facts. */
  browser_explanation: Explanation | null;
  fixture: (Fixture & { integrity: string }) | null;
  why_no_fixture: string | null;
}

export const StreamParams = Type.Object({ id: Type.String({ maxLength: 64 }) });

/** Body of `POST /dev/stream/browser`. */
export const BrowserBody = Type.Object({
  challenge: Type.String({ minLength: 1, maxLength: 1_024, description: 'base64url' }),
  call: Type.Enum(['create', 'get']),
  error: orNull(Type.String({ maxLength: 200, description: 'Name of the DOMException, or code of the problem of `POST /dev/answer`.' })),
  message: orNull(Type.String({ maxLength: 2_000 })),
  milliseconds: Type.Number({ minimum: 0 }),
  software: Type.Optional(Software),
});
