import type { Static } from 'typebox';
import * as Type from 'typebox';
import { id, orNull, timestamp } from '../../kernel/schema-kit.js';
import { RowCountsDocument } from '../transfer-port.js';

/** Actions in the audit log. An entry for a ceremony may report a refusal; all other actions are logged only when they are done. */
export const AUDIT_ACTIONS = [
  'register',
  'authenticate',
  'rename',
  'revoke',
  'restore',
  'purge',
  'user-add',
  'user-edit',
  'user-remove',
  'token-create',
  'token-revoke',
  'session-open',
  'session-end',
  'import',
  'copy',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export const AUDIT_OUTCOMES = ['done', 'refused'] as const;
export const AUDIT_WAYS = ['api', 'page', 'command'] as const;

const userName = (description: string) => Type.String({ pattern: '^[\\s\\S]+:[1-9]\\d{0,15}$', description });

/** One line of the audit log. Unknown members are allowed, because a log may contain entries of a later version of this program. */
export const AuditEntry = Type.Object(
  {
    at: timestamp,
    action: Type.Enum([...AUDIT_ACTIONS]),
    outcome: Type.Enum([...AUDIT_OUTCOMES]),
    code: orNull(Type.String({ description: 'Why it was refused: an error code.' })),
    via: Type.Enum([...AUDIT_WAYS], {
      description: 'page: the request bore the mark of the test page, which any client can send.',
    }),
    source: orNull(Type.String({ description: 'Route or command, such as /api/passkeys/login or passkey revoke.' })),
    actor: orNull(userName('TYPE:ID of who proved to be that user, by a token, a session or a passkey.')),
    os_user: orNull(Type.String({ description: 'Of a command: the name of the user of the operating system.' })),
    address: orNull(Type.String({ description: 'Of the client.' })),
    user_agent: orNull(Type.String()),
    request_id: orNull(Type.String()),
    subject: orNull(userName('TYPE:ID of the user whom it is about.')),
    email: orNull(Type.String({ description: 'Of that user, where it was at hand.' })),
    passkey_id: orNull(id),
    credential_id: orNull(Type.String({ contentEncoding: 'base64url' })),
    rp_id: orNull(Type.String()),
    label: orNull(Type.String({ description: 'Of the passkey or the token.' })),
    token_id: orNull(Type.Integer({ minimum: 1, description: 'Of the token or the session.' })),
    revoked_passkeys: orNull(Type.Array(id, { description: 'Of user-remove: passkeys that were revoked with the user.' })),
    counts: orNull(
      Type.Object(RowCountsDocument.properties, {
        description:
          'Of import and copy: rows that were added. Of purge: sessions and tokens that were deleted; each passkey has an entry.',
      }),
    ),
    reason: orNull(Type.String()),
    revoked_reason: orNull(Type.String({ description: 'Of restore: why the passkey had been revoked.' })),
    change: Type.Optional(orNull(Type.String({ description: 'Id of the bulk change; see passkey restore --change.' }))),
  },
  { title: 'an entry of the audit log' },
);
export type AuditEntry = Static<typeof AuditEntry>;

/** A line or row of the audit log that is not a valid entry, such as the remains of an entry whose process was killed while writing. */
export interface AuditDamage {
  readonly file: string;
  /** Number of the line, counted from 1. */
  readonly line: number;
}

/** Reader of the audit log. Each call continues where the previous one stopped; the first call starts at the oldest entry. */
export interface AuditReader {
  /** Skips all entries written so far. */
  skip(): Promise<void>;
  /** Reads the entries added since the last call, in the order of writing. Reports each damaged line once. */
  readOn(onDamage?: (damage: AuditDamage) => void): AsyncIterable<AuditEntry>;
}

/** Log that records who did what, and when. The oldest entries are removed when there are too many. */
export interface AuditLog {
  /**
   * Writes an entry as soon as possible, together with others that arrive at the same time. If entries cannot be written, they are lost,
   * and there is one warning.
   */
  append(entry: AuditEntry): void;
  /** Resolves when every entry appended so far has been written, or its writing has failed. */
  settled(): Promise<void>;
  /**
   * Creates a reader of the log.
   *
   * @param options.via reads only the entries with this `via`. Skipping the others takes almost no time.
   */
  read(options?: { readonly via?: AuditEntry['via'] }): AuditReader;
}
