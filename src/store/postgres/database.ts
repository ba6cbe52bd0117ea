import { createHash } from 'node:crypto';
import type { Client, PoolClient, QueryResultRow } from 'pg';
import { PasskeyError } from '../../errors.js';
import { formatTimestamp } from '../../kernel/wording.js';
import { DatabaseFailure, unavailable } from './failure.js';
import { guardedClient } from './guarded-client.js';

/** Parameter value of an SQL statement. Convert times with {@link timeValue}. */
export type SqlValue = string | number | boolean | null | Uint8Array | readonly (string | number)[];

/**
 * A statement with a unique name, which each connection plans only once. Planning took more than half of the processor time of a login. The
 * statement must name its columns, because PostgreSQL refuses a planned `*` after a migration that adds a column.
 */
export interface NamedStatement {
  readonly name: string;
  readonly text: string;
}

/** Names a statement by a hash of its text, because two versions of this program may share a connection through a pooler. */
export function named(text: string): NamedStatement {
  return { name: `passkey_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`, text };
}

/** Runs one statement, and returns its rows. */
export type Query = <Row extends QueryResultRow>(statement: string | NamedStatement, values?: readonly SqlValue[]) => Promise<Row[]>;

export interface Database {
  /** URL of the database for messages, without user and password. */
  readonly location: string;
  /** Runs a statement that only reads, or that can run twice without harm. If the connection is lost, runs it again. */
  read: Query;
  /** Runs a statement that makes a complete change. If the connection is lost meanwhile, it is unknown whether the change was made. */
  change: Query;
  /**
   * Runs `work` in a transaction, which makes all of its changes or none. `work` may run several times, so it must change nothing outside
   * the database.
   */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** Opens a view of the data at one moment, which later changes do not affect. The view holds a connection until it is closed. */
  snapshot(): Promise<Snapshot>;
  close(): Promise<void>;
}

interface Snapshot {
  readonly query: Query;
  close(): Promise<void>;
}

interface DatabaseOptions {
  /** Milliseconds after which an operation, including all attempts, gives up. Default: only the limit of each statement applies. */
  readonly patience?: number | undefined;
}

/** Maximum number of connections of one process. All processes share the limit of the server, which is 100 by default. */
const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT = 5_000;
const STATEMENT_TIMEOUT = 30_000;
const TRIES = 5;
/** Milliseconds after which a failed attempt is not repeated. If the server does not respond, one attempt has timed out by then. */
const RETRY_FOR = 4_000;
/** Milliseconds to wait for the connections to the server to close. */
const CLOSE_TIMEOUT = 1_000;

// Type ids of PostgreSQL.
const INT8 = 20;
const TIMESTAMPTZ = 1184;

/**
 * Creates a connection pool of limited size. The first statement opens the first connection.
 *
 * @throws PasskeyError `usage` for a URL that cannot be read.
 */
export async function openDatabase(url: string, { patience = Number.POSITIVE_INFINITY }: DatabaseOptions = {}): Promise<Database> {
  const location = locationWithoutPassword(url);
  const names = { used: readPrepare(url) };
  // A bundled CommonJS module has its exports in `default` only.
  const pg = (await import('pg')).default;
  const clients = new Set<Client>();
  const connectTimeout = Math.min(CONNECT_TIMEOUT, patience / 2);
  const pool = new pg.Pool({
    Client: guardedClient(pg.Client, clients),
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: connectTimeout,
    keepAlive: true,
    application_name: 'passkey',
    types: {
      getTypeParser(type: number, format?: 'text' | 'binary') {
        if (format !== 'binary' && type === INT8) return Number;
        if (format !== 'binary' && type === TIMESTAMPTZ) return readTime;
        return pg.types.getTypeParser(type, format);
      },
    },
  });
  // A connection that breaks while it is idle is replaced by the pool.
  pool.on('error', () => undefined);
  let closed: Promise<void> | undefined;
  const connect = async (): Promise<PoolClient> => {
    if (closed !== undefined) throw new PasskeyError('store_unavailable', `The store ${location} has been closed. Open it again.`);
    try {
      return await pool.connect();
    } catch (cause) {
      throw new DatabaseFailure(cause);
    }
  };
  const limits = { patience, retryFor: Math.min(RETRY_FOR, patience - connectTimeout) };
  const run = <T>(maySucceed: (error: unknown) => boolean, attempt: (deadline: number) => Promise<T>) =>
    reported(location, () => again({ maySucceed, ...limits }, attempt));
  const single =
    (maySucceed: (error: unknown) => boolean): Query =>
    (statement, values) =>
      run(maySucceed, async (deadline) => useOnce(lend(await connect(), deadline, names), (query) => query(statement, values)));
  const close = async () => {
    const goodbye = pool.end();
    const timer = setTimeout(() => {
      for (const { connection } of clients) connection.stream.destroy();
    }, CLOSE_TIMEOUT);
    await goodbye;
    clearTimeout(timer);
  };
  return {
    location,
    read: single((error) => isLost(error) || mayRunAgain(error)),
    change: single(mayRunAgain),
    transaction: (work) =>
      run(isUndone, async (deadline) => useOnce(lend(await connect(), deadline, names), (query) => inTransaction(query, work))),
    snapshot: () => run(isLost, async () => openSnapshot(location, lend(await connect(), Number.POSITIVE_INFINITY, names))),
    close() {
      closed ??= close();
      return closed;
    },
  };
}

/**
 * Removes user and password from the URL of a database.
 *
 * @throws PasskeyError `usage` for a URL that cannot be read. This includes a password with "/", "?" or "#", after which a part of the
 * password would remain in the result.
 */
export function locationWithoutPassword(url: string): string {
  const parsed = parsedUrl(url);
  if (parsed === undefined || parsed.hash !== '' || `${parsed.pathname}${parsed.search}`.includes('@')) {
    // It may hold a password, so neither it nor what the parser says of it is repeated.
    throw new PasskeyError(
      'usage',
      '--store expects a URL such as postgres://user@localhost:5432/passkeys; this one cannot be read. ' +
        'Write "/", "?", "#" and "@" in names and passwords as %2F, %3F, %23 and %40.',
    );
  }
  return `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
}

/**
 * Reads the parameter `prepare` of a database URL, which tells whether to name statements. `false` is for poolers that lose named
 * statements without an error.
 *
 * @throws PasskeyError `usage` for any other value.
 */
function readPrepare(url: string): boolean {
  const given = parsedUrl(url)?.searchParams.get('prepare') ?? 'true';
  if (given === 'true' || given === 'false') return given === 'true';
  throw new PasskeyError('usage', `prepare in the URL of --store expects true or false; got ${JSON.stringify(given.slice(0, 60))}.`);
}

function parsedUrl(url: string): URL | undefined {
  try {
    return new URL(url);
  } catch {
    return undefined;
  }
}

const isLost = (error: unknown): boolean => error instanceof DatabaseFailure && error.isLost;
const mayRunAgain = (error: unknown): boolean => error instanceof DatabaseFailure && error.mayRunAgain;

/** Error of a transaction that has certainly changed nothing. */
class Undone extends Error {}

const isUndone = (error: unknown): boolean => error instanceof Undone;

async function inTransaction<T>(query: Query, work: (query: Query) => Promise<T>): Promise<T> {
  let result: T;
  try {
    await query('BEGIN');
    result = await work(query);
  } catch (error) {
    // Whatever broke it, PostgreSQL keeps nothing of a transaction that did not commit.
    if (!isLost(error)) await query('ROLLBACK').catch(() => undefined);
    throw mayRunAgain(error) || isLost(error) ? new Undone('The transaction was rolled back.', { cause: error }) : error;
  }
  try {
    await query('COMMIT');
  } catch (error) {
    // A commit that was refused has changed nothing; where the connection was lost, it is unknown.
    throw mayRunAgain(error) ? new Undone('The transaction was rolled back.', { cause: error }) : error;
  }
  return result;
}

/** A connection on loan from the pool for one operation. */
interface Lent {
  readonly query: Query;
  /** Returns the connection to the pool, or closes it if it is broken. */
  readonly giveBack: () => void;
}

async function useOnce<T>({ query, giveBack }: Lent, work: (query: Query) => Promise<T>): Promise<T> {
  try {
    return await work(query);
  } finally {
    giveBack();
  }
}

function lend(client: PoolClient, deadline: number, names: { used: boolean }): Lent {
  let broken = false;
  const onError = () => {
    broken = true;
  };
  client.on('error', onError);
  return {
    async query<Row extends QueryResultRow>(statement: string | NamedStatement, values: readonly SqlValue[] = []) {
      const timeout = Math.min(STATEMENT_TIMEOUT, Math.max(1, deadline - performance.now()));
      const { text, ...name } = typeof statement === 'string' ? { text: statement } : statement;
      const sent = { text, ...(names.used && name), values: values.map(asParameter), query_timeout: timeout };
      try {
        const { rows } = await client.query<Row>(sent);
        return rows;
      } catch (cause) {
        const failure = new DatabaseFailure(cause);
        broken ||= failure.isLost;
        // Every statement of this database goes without a name from now on, this one when it is repeated.
        if (failure.isNameLost) names.used = false;
        throw failure;
      }
    },
    giveBack() {
      client.off('error', onError);
      client.release(broken);
    },
  };
}

async function openSnapshot(location: string, { query, giveBack }: Lent): Promise<Snapshot> {
  try {
    await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  } catch (error) {
    giveBack();
    throw error;
  }
  let closed = false;
  return {
    query: (text, values) => reported(location, () => query(text, values)),
    async close() {
      if (closed) return;
      closed = true;
      await query('ROLLBACK').catch(() => undefined);
      giveBack();
    },
  };
}

/** Converts a value to a parameter for pg, which expects bytes as a Buffer. The Buffer shares the memory of the value. */
function asParameter(value: SqlValue): unknown {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.length) : value;
}

interface Attempts {
  readonly maySucceed: (error: unknown) => boolean;
  readonly patience: number;
  /** Milliseconds after which a failed attempt is not repeated. */
  readonly retryFor: number;
}

async function again<T>({ maySucceed, patience, retryFor }: Attempts, attempt: (deadline: number) => Promise<T>): Promise<T> {
  const started = performance.now();
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt(started + patience);
    } catch (error) {
      const late = performance.now() - started > retryFor;
      if (tries === TRIES || late || !maySucceed(error)) throw error instanceof Undone ? error.cause : error;
    }
  }
}

async function reported<T>(location: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof DatabaseFailure ? unavailable(location, error) : error;
  }
}

/** Reads a time that PostgreSQL wrote, as milliseconds since 1970 with microseconds in the fraction. */
function readTime(text: string): number {
  const [, day, time, fraction = '', hours, minutes = '00'] = /^(\S+) (\d\d:\d\d:\d\d)(?:\.(\d+))?([+-]\d\d)(?::(\d\d))?$/.exec(text) ?? [];
  return Date.parse(`${day}T${time}${hours}:${minutes}`) + Number(fraction.padEnd(6, '0')) / 1000;
}

export function timeValue(milliseconds: number): string;
export function timeValue(milliseconds: number | undefined): string | null;
export function timeValue(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : formatTimestamp(milliseconds);
}
