import { getHeapStatistics } from 'node:v8';
import { PasskeyError } from '../errors.js';
import type { Draft, State } from './state.js';

/**
 * The heap that a store takes, at most, for each byte of its file, while a change is made: its text, what that was parsed into, the
 * records, and the new text. `bench/attacks/large-store.ts` measures it.
 */
const HEAP_PER_BYTE = 10;
/**
 * Beyond the limit, changes that add neither passkey nor user may grow the file by one in this many bytes. Changes that end something, such
 * as a revocation, may use all of that, logins and others half, so that a full store can still revoke after any number of logins.
 */
const RESERVE = 20;
const FIRST_WARNING = 0.8;
const WARNING_STEP = 0.05;

/** Bytes of the most rows that this process can keep in memory. */
function mostBytes(): number {
  return Math.floor(getHeapStatistics().heap_size_limit / HEAP_PER_BYTE);
}

/** Bytes that are within the limit of any process: Node starts with no heap that is smaller than this times {@link HEAP_PER_BYTE}. */
const ALWAYS_FITS = 256 * 1024;

/** Effect of a change on the number of passkeys and users, live ones included, and of sessions and tokens. */
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

/** There is no room for a change in the file of a store. */
export class StoreFull extends PasskeyError {}

/** Limits the size of a store's file. */
export class FileSizeLimit {
  readonly #path: string;
  readonly #given: number | undefined;
  #found: number | undefined;
  readonly #onWarning: (message: string) => void;
  /** Steps of the size that were warned of. */
  #warnedOf = 0;

  /** @param o.bytes that the file may have; default: {@link mostBytes}. */
  constructor(path: string, { bytes, onWarning = () => {} }: { bytes?: number; onWarning?: (message: string) => void }) {
    this.#path = path;
    this.#given = bytes;
    this.#onWarning = onWarning;
  }

  /** Determined on first use: Node takes a while to load the code that reads the amount of memory. */
  get #bytes(): number {
    this.#found ??= this.#given ?? mostBytes();
    return this.#found;
  }

  #isSmall(bytes: number): boolean {
    return this.#given === undefined && bytes <= ALWAYS_FITS;
  }

  /** @throws PasskeyError `store_unavailable` if a file of this size is too large to be read. */
  requireReadable(bytes: number): void {
    if (this.#isSmall(bytes) || bytes <= this.#withReserve()) return;
    throw new PasskeyError(
      'store_unavailable',
      `The store ${this.#path} has ${megabytes(bytes)}; this process has memory for a store of ${megabytes(this.#bytes)} at most. Nothing was read or changed. ${WHAT_TO_DO}`,
    );
  }

  /** @throws StoreFull when a change would make the file too large. */
  requireWritable(bytes: number, kind: ChangeKind): void {
    if (this.#isSmall(bytes)) return;
    const reserve = kind === 'adds' ? 0 : kind === 'ends' ? 1 : 0.5;
    if (bytes <= this.#withReserve(reserve)) return;
    throw new StoreFull(
      'store_unavailable',
      `The store ${this.#path} is full: this change would make it ${megabytes(bytes)}, and this process has memory for a store of ${megabytes(this.#bytes)} at most. Nothing was changed. ${WHAT_TO_DO}`,
    );
  }

  /** Warns of a file that comes near the limit, and again whenever it has grown by a step. */
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

  /** @param part of the reserve. */
  #withReserve(part = 1): number {
    return this.#bytes + (part * this.#bytes) / RESERVE;
  }
}

const WHAT_TO_DO = 'Give Node.js more memory (NODE_OPTIONS=--max-old-space-size=MEGABYTES), or start another store with --store.';

function megabytes(bytes: number): string {
  return bytes < 100 * 1024 ? `${bytes} bytes` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
