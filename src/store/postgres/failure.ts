import { PasskeyError } from '../../errors.js';
import { clause } from '../../kernel/wording.js';
import { CLEARTEXT_REFUSED } from './guarded-client.js';

/** Wrapper for an error of pg, which distinguishes it from errors that our own code throws in a transaction. */
export class DatabaseFailure extends Error {
  constructor(cause: unknown) {
    super('The database failed.', { cause });
  }

  /** SQLSTATE of PostgreSQL, or the code of a failed system call. Undefined if the socket was closed, because pg has no code for that. */
  get code(): string | undefined {
    const code = this.cause instanceof Error && 'code' in this.cause ? this.cause.code : undefined;
    return typeof code === 'string' ? code : undefined;
  }

  /** True if nothing was changed and a second attempt may succeed: another transaction came first, or a named statement was lost. */
  get mayRunAgain(): boolean {
    return this.code === '40001' || this.code === '40P01' || this.isNameLost;
  }

  /**
   * True if a named statement is missing. Poolers such as PgBouncer before 1.21 switch connections. The next connection then lacks the
   * statement, or has a statement of another client under its name.
   */
  get isNameLost(): boolean {
    return this.code === '26000' || this.code === '42P05';
  }

  /** True if the connection is lost, because the server stopped or the network failed. */
  get isLost(): boolean {
    return this.code === undefined || LOST.has(this.code) || this.code.startsWith('08');
  }
}

const LOST = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', '57P01', '57P02', '57P03']);

/** Advice for users about an error, by SQLSTATE or error code. */
const ADVICE: Readonly<Record<string, string>> = {
  [CLEARTEXT_REFUSED]: 'Add ?sslmode=verify-full to the URL, or let the server use scram-sha-256.',
  ECONNREFUSED: 'Nothing listens there. Start PostgreSQL, or correct host and port in --store.',
  ENOTFOUND: 'The host is not known. Correct it in --store.',
  EAI_AGAIN: 'The host could not be looked up. Check the network, or correct the host in --store.',
  '28P01': 'The password is wrong or missing. Correct it in --store, or set PGPASSWORD.',
  '28000': 'The server does not let this user in. Correct user and password in --store, or the server’s pg_hba.conf.',
  '3D000': 'There is no such database. Create it with createdb, or correct its name in --store.',
  '42501': 'The user lacks a privilege. Let it create and use tables in this schema.',
  '53300': 'The server has no connection left. Raise max_connections, or put fewer serve processes on it.',
  '53100': 'The disk of the server is full. Make room there; nothing was changed.',
  '25006': 'The server takes no writes (a replica?). Name the primary in --store.',
  '57P01': 'The server is stopping. Try again when it is back.',
  '57P03': 'The server is starting or stopping. Try again in a moment.',
  '42P01': 'A table is missing. Run `passkey store migrate`.',
  '22021': 'A text holds a NUL character, which PostgreSQL cannot keep. Leave it out.',
  '22P05': 'A text holds a character that PostgreSQL cannot keep, such as NUL. Leave it out.',
};

/**
 * Converts a failure to an error for users, with advice.
 *
 * @param location URL of the database, without a password.
 */
export function unavailable(location: string, failure: DatabaseFailure): PasskeyError {
  const { cause, code = '' } = failure;
  const advice = ADVICE[code] ?? 'Check that PostgreSQL runs and can be reached, then try again.';
  return new PasskeyError('store_unavailable', `The store ${location} cannot be used: ${clause(readMessage(cause))}. ${advice}`, { cause });
}

/** Tests whether an insertion failed because a row with the same unique value exists. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof PasskeyError && new DatabaseFailure(error.cause).code === '23505';
}

/**
 * Reads the message of an error and puts it on one line, because the server chooses its text. Joins the messages of a host with several
 * addresses, each of which has an error.
 */
function readMessage(error: unknown): string {
  if (error instanceof AggregateError) return readMessage(error.errors[0]);
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\s*\n\s*/g, ' ');
}
