import { getHeapStatistics } from 'node:v8';
import { PasskeyError } from '../errors.js';
import type { Draft, State } from './state.js';

/**
 * Maximum heap in bytes that a store needs during a change for each byte of its file. It holds the text, its parsed form, the records, and
 * the new text. `bench/attacks/large-store.ts` measures it.
 */
const HEAP_PER_BYTE = 10;
/**
 * Divisor of the size limit that gives a reserve beyond the limit. Changes that add neither passkeys nor users may use the reserve. Those
 * that end something, such as a revocation, may use all of it; logins and others may use half. So a full store can still revoke after any
 * number of logins.
 */
const RESERVE = 20;
const FIRST_WARNING = 0.8;
const WARNING_STEP = 0.05;

/** Computes the maximum size in bytes of the rows that this process can keep in memory. */
function mostBytes(): number {
  return Math.floor(getHeapStatistics().heap_size_limit / HEAP_PER_BYTE);
}

/**
 * Size in bytes that is within the limit of every process, because Node's smallest heap is larger than this times {@link HEAP_PER_BYTE}.
 */
const ALWAYS_FITS = 256 * 1024;

/** Effect of a change. `adds`: adds passkeys or users. `ends`: ends passkeys, users, sessions or tokens. `keeps`: neither. */
type ChangeKind = 'adds' | 'ends' | 'keeps';

export function kindOfChange({ base, changes: { owners, passkeys, accesses } }: Draft): ChangeKind {
  if ([...passkeys.put.keys()].some((id) => !base.passkeys.has(id)) || [...owners.put.keys()].some((key) => !base.owners.has(key))) {
    return 'adds';
  }
  // How many passkeys, sessions and tokens more are live.
  let live = 0;
  for (const { id, revokedAt } of passkeys.put.values()) live += Number(revokedAt === undefined) - Number(!base.revokedPasskeys.has(id));
  for (const { id, revokedAt } of accesses.put.values()) live += Number(revokedAt === undefined) - Number(isLive(base, id));
  for (const id of accesses.gone) live -= Number(isLive(base, id));
  return owners.gone.size > 0 || passkeys.gone.size > 0 || live < 0 ? 'ends' : 'keeps';
}

function isLive({ accesses }: State, id: number): boolean {
  const access = accesses.get(id);
  return access !== undefined && access.revokedAt === undefined;
}

/** Error for a change that would make the file of a store too large. */
export class StoreFull extends PasskeyError {}

/** Size limit of a store's file. */
export class FileSizeLimit {
  readonly #path: string;
  readonly #given: number | undefined;
  #found: number | undefined;
  readonly #onWarning: (message: string) => void;
  /** Number of the last step of the size for which there was a warning. */
  #warnedOf = 0;

  /**
   * Creates the limit of the file at `path`.
   *
   * @param o.bytes maximum size of the file; default: {@link mostBytes}.
   */
  constructor(path: string, { bytes, onWarning = () => {} }: { bytes?: number; onWarning?: (message: string) => void }) {
    this.#path = path;
    this.#given = bytes;
    this.#onWarning = onWarning;
  }

  /** Size limit in bytes. Determined on first use, because Node takes a while to load the code that reads the amount of memory. */
  get #bytes(): number {
    this.#found ??= this.#given ?? mostBytes();
    return this.#found;
  }

  #isSmall(bytes: number): boolean {
    return this.#given === undefined && bytes <= ALWAYS_FITS;
  }

  /** Checks that a file of this size can be read. @throws PasskeyError `store_unavailable` if it is too large. */
  requireReadable(bytes: number): void {
    if (this.#isSmall(bytes) || bytes <= this.#withReserve()) return;
    throw new PasskeyError(
      'store_unavailable',
      `The store ${this.#path} has ${megabytes(bytes)}; this process has memory for a store of ${megabytes(this.#bytes)} at most. Nothing was read or changed. ${WHAT_TO_DO}`,
    );
  }

  /** Checks that a file of this size may be written. @throws StoreFull if a change of this kind would make the file too large. */
  requireWritable(bytes: number, kind: ChangeKind): void {
    if (this.#isSmall(bytes)) return;
    const reserve = kind === 'adds' ? 0 : kind === 'ends' ? 1 : 0.5;
    if (bytes <= this.#withReserve(reserve)) return;
    throw new StoreFull(
      'store_unavailable',
      `The store ${this.#path} is full: this change would make it ${megabytes(bytes)}, and this process has memory for a store of ${megabytes(this.#bytes)} at most. Nothing was changed. ${WHAT_TO_DO}`,
    );
  }

  /** Warns when the size of the file approaches the limit, and again whenever the file has grown by a step. */
  watch(bytes: number): void {
    const step =
      this.#isSmall(bytes) || bytes < FIRST_WARNING * this.#bytes
        ? 0
        : 1 + Math.floor((bytes / this.#bytes - FIRST_WARNING) / WARNING_STEP);
    if (step > this.#warnedOf) {
      this.#onWarning(
        `the store ${this.#path} is ${Math.floor((100 * bytes) / this.#bytes)} % full: it has ${megabytes(bytes)} of ${megabytes(this.#bytes)}; once it is full, nothing can be registered. ${WHAT_TO_DO}`,
      );
    }
    this.#warnedOf = step;
  }

  /**
   * Computes the limit plus a part of the reserve.
   *
   * @param part fraction of the reserve, from 0 to 1.
   */
  #withReserve(part = 1): number {
    return this.#bytes + (part * this.#bytes) / RESERVE;
  }
}

const WHAT_TO_DO = 'Give Node.js more memory (NODE_OPTIONS=--max-old-space-size=MEGABYTES), or start another store with --store.';

function megabytes(bytes: number): string {
  return bytes < 100 * 1024 ? `${bytes} bytes` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
