/** No slot: the end of a list. */
export const NONE = -1;

/** Values under small numbers, which lists of numbers can name. A number is used again once its value is deleted. */
export class Slots<T> {
  readonly #values: (T | undefined)[] = [];
  readonly #free: number[] = [];

  get(slot: number): T | undefined {
    return this.#values[slot];
  }

  add(value: T): number {
    const slot = this.#free.pop() ?? this.#values.length;
    this.#values[slot] = value;
    return slot;
  }

  delete(slot: number): void {
    this.#values[slot] = undefined;
    this.#free.push(slot);
  }
}

/** The ends of one list. */
export interface Ends {
  first: number;
  last: number;
}

const SMALLEST = 64;

/**
 * Lists of slots in the order they were added; any slot is taken out in constant time. A slot is in at most one list of a `SlotLists`,
 * and takes eight bytes there: linked objects would take six times as many. (A `Map` or `Set` as list steps over all deleted entries
 * to find its first.)
 */
export class SlotLists {
  #before = new Int32Array(SMALLEST);
  #after = new Int32Array(SMALLEST);

  add(list: Ends, slot: number): void {
    if (slot >= this.#before.length) {
      this.#before = doubled(this.#before);
      this.#after = doubled(this.#after);
    }
    this.#before[slot] = list.last;
    this.#after[slot] = NONE;
    if (list.last === NONE) list.first = slot;
    else this.#after[list.last] = slot;
    list.last = slot;
  }

  /** `slot` must be in `list`. */
  remove(list: Ends, slot: number): void {
    const before = this.#before[slot] ?? NONE;
    const after = this.#after[slot] ?? NONE;
    if (before === NONE) list.first = after;
    else this.#after[before] = after;
    if (after === NONE) list.last = before;
    else this.#before[after] = before;
  }
}

export function noSlots(): Ends {
  return { first: NONE, last: NONE };
}

function doubled(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * numbers.length);
  larger.set(numbers);
  return larger;
}
