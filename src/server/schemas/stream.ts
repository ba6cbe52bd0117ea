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
      Type.String({
        maxLength: 200,
        description: 'Persona that made the response; plain: no persona. Null: a browser made the response, and this server broke it.',
      }),
    ),
    tamper: orNull(Type.String({ maxLength: 200, description: 'Id of the mutation.' })),
    title: Type.Optional(Type.String({ maxLength: 200, description: 'Title of the mutation.' })),
  },
  { description: 'Set if a software authenticator of this server responded, broke the response, or was called and gave no response.' },
);

/** One entry in the stream of the test page: a ceremony, a refused request or a change of a passkey. */
export const StreamEntry = Type.Object({
  id: Type.String({ description: 'Id of the entry, never used again, even after a restart.' }),
  at: Type.String({ ...timestamp, description: 'When the ceremony began, or the request arrived.' }),
  finished_at: orNull(timestamp),
  kind: Type.Enum(['registration', 'authentication', 'request', 'change'], {
    description:
      'request: a request that was refused, or that got a response scripted by POST /dev/next, and belongs to no ceremony. change: a passkey was renamed, revoked, restored or purged; on the command line also registered, or a user or a token was changed.',
  }),
  state: Type.Enum(['open', 'verified', 'rejected', 'refused', 'scripted', 'expired', 'elsewhere', 'changed', 'undecided'], {
    description:
      'undecided: a ceremony of another site, which has not said whether it accepts. open: begun, and its challenge is still valid. elsewhere: another process on the same database got the response. refused, scripted: states of a request.',
  }),
  via: orNull(Type.String({ description: 'Endpoint or command of the latest event of the entry; of a refused request, with its method.' })),
  page: Type.Boolean({ description: 'Whether the request bears the mark of the test page.' }),
  user_agent: text,
  address: text,
  request_ids: Type.Array(Type.String(), { description: 'Ids of all requests of the entry, in order.' }),
  rp_id: text,
  origins: Type.Array(Type.String()),
  owner: orNull(Type.String({ description: 'TYPE:ID' })),
  user: orNull(Type.String({ description: 'E-mail of the owner.' })),
  passkey: orNull(Type.Object({ id: Type.Integer(), label: text })),
  code: orNull(Type.String({ description: 'Error code of the problem.' })),
  message: orNull(Type.String({ description: 'Detail of the problem; for a change, what was changed and why.' })),
  step: orNull(Step),
  status: orNull(Type.Integer({ description: 'HTTP status of the last response.' })),
  changed_options: Type.Array(Type.String(), {
    description: "Members of the options that differ from this server's own policy, such as extensions.prf.",
  }),
  software: orNull(Software),
  browser: orNull(
    Type.Object(
      { error: text, message: text, milliseconds: Type.Number() },
      { description: 'Report of a page on its call of the browser, or of the software authenticator.' },
    ),
  ),
  foreign: Type.Optional(
    Type.Object(
      {
        origin: Type.String(),
        requests: Type.Integer(),
        command: orNull(Type.String({ description: 'Command that starts a server that these pages may call.' })),
      },
      { description: 'Requests of pages of one other origin, which share this entry: their origin, and their number.' },
    ),
  ),
  site: Type.Optional(Type.String({ description: 'Origin of another site, which `passkey browse` follows.' })),
});
export type StreamEntry = Type.Static<typeof StreamEntry>;

/** Response of `GET /dev/stream`. The newest entry comes first. */
export interface StreamDocument {
  entries: StreamEntry[];
}

/** Response of `GET /dev/stream/:id`: all facts about an entry. A fact that is no longer kept, or never was, is null. */
export interface StreamDetail extends StreamEntry {
  /** HTTP method of the last request about this entry. */
  method: string | null;
  path: string | null;
  /** Title of the problem document that the last request got. Null if it got none. */
  title: string | null;
  /** The options as the server sent them. The challenge is left out while it is valid. */
  options: Record<string, unknown> | null;
  /** The response (RegistrationResponseJSON or AuthenticationResponseJSON), without secrets. */
  response: Record<string, unknown> | null;
  change: { type: StreamChangeType; reason: string | null } | null;
  /**
   * The explanation in the form of `passkey explain --json`, without the tree of bytes. It is based on the facts at the time of the
   * response.
   */
  explanation: ExplainDocument | null;
  /** Explanation of the error that a page reported, based on the page's options and facts. */
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
