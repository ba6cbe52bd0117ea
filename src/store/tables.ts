/** The methods of a `Map` that operations need. A table of a store may keep its values in another form. */
export interface Table<K, V> {
  readonly size: number;
  get(key: K): V | undefined;
  has(key: K): boolean;
  set(key: K, value: V): unknown;
  delete(key: K): unknown;
  keys(): Iterable<K>;
  values(): Iterable<V>;
  [Symbol.iterator](): Iterator<[K, V]>;
}

/**
 * A table with changes on top of another table, which readers can still use unchanged. The cost depends on the number of changes, not on
 * the size of the table.
 */
export class DraftTable<K, V> implements Table<K, V> {
  readonly #base: Table<K, V>;
  readonly #put = new Map<K, V>();
  readonly #gone = new Set<K>();
  #added = 0;

  constructor(base: Table<K, V>) {
    this.#base = base;
  }

  get size(): number {
    return this.#base.size + this.#added - this.#gone.size;
  }

  /** Entries that were added or replaced, in order. */
  get put(): ReadonlyMap<K, V> {
    return this.#put;
  }

  /** Keys that exist in the original table but were removed in this one. */
  get gone(): ReadonlySet<K> {
    return this.#gone;
  }

  /** Returns the value in the original table. */
  before(key: K): V | undefined {
    return this.#base.get(key);
  }

  get(key: K): V | undefined {
    const put = this.#put.get(key);
    return put !== undefined || this.#gone.has(key) ? put : this.#base.get(key);
  }

  has(key: K): boolean {
    return this.#put.has(key) || (!this.#gone.has(key) && this.#base.has(key));
  }

  set(key: K, value: V): void {
    if (!this.#put.has(key) && !this.#base.has(key)) this.#added += 1;
    this.#gone.delete(key);
    this.#put.set(key, value);
  }

  delete(key: K): void {
    if (this.#put.delete(key) && !this.#base.has(key)) this.#added -= 1;
    if (this.#base.has(key)) this.#gone.add(key);
  }

  keys(): Iterable<K> {
    return this.#put.size === 0 && this.#gone.size === 0 ? this.#base.keys() : this.#merged(([key]) => key);
  }

  values(): Iterable<V> {
    return this.#put.size === 0 && this.#gone.size === 0 ? this.#base.values() : this.#merged(([, value]) => value);
  }

  [Symbol.iterator](): Iterator<[K, V]> {
    return this.#merged((entry) => entry);
  }

  /** Applies the changes to the original table. */
  commit(): void {
    for (const key of this.#gone) this.#base.delete(key);
    for (const [key, value] of this.#put) this.#base.set(key, value);
  }

  *#merged<T>(pick: (entry: [K, V]) => T): Generator<T> {
    for (const [key, value] of this.#base) {
      if (!this.#gone.has(key)) yield pick([key, this.#put.get(key) ?? value]);
    }
    for (const entry of this.#put) if (!this.#base.has(entry[0])) yield pick(entry);
  }
}

/**
 * A list that grows only at its end. A longer list shares the memory of the list from which it was made, and that list stays unchanged for
 * its readers. Adding an item therefore takes the same time at any length.
 */
export class GrowingList<T> implements Iterable<T> {
  readonly #shared: T[];
  readonly length: number;

  /**
   * Creates the list.
   *
   * @param shared array that belongs to the list from now on.
   */
  constructor(shared: T[] = []) {
    this.#shared = shared;
    this.length = shared.length;
  }

  with(value: T): GrowingList<T> {
    // Another was made from this one before, as in a draft that came to nothing.
    const shared = this.#shared.length === this.length ? this.#shared : this.#shared.slice(0, this.length);
    shared.push(value);
    return new GrowingList(shared);
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#shared.slice(0, this.length).values();
  }
}
