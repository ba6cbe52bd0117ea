/** The choices of one input: a seed and the input's index decide them all, so that any input can be made again without those before it. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #count: number;

  constructor(seed: number, index: number) {
    this.#a = seed | 0;
    this.#b = Math.floor(index / 2 ** 32) | 0;
    this.#c = index | 0;
    this.#count = 1;
    // The first numbers of neighbouring seeds resemble each other.
    for (let round = 0; round < 12; round += 1) this.next();
  }

  /** Unsigned, 32 bits (sfc32 of PractRand: small, fast, and good enough for this). */
  next(): number {
    const result = (this.#a + this.#b + this.#count) | 0;
    this.#count = (this.#count + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + result;
    this.#c |= 0;
    return result >>> 0;
  }

  /** From 0 to `limit` - 1; 0 for a limit of 0. */
  below(limit: number): number {
    return Math.floor((this.next() / 2 ** 32) * limit);
  }

  /** True once in so many times. */
  oneIn(times: number): boolean {
    return this.below(times) === 0;
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new TypeError('Expected something to pick from; the list is empty.');
    return list[this.below(list.length)] as T;
  }

  bytes(length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length; at += 1) bytes[at] = this.next() >>> 24;
    return bytes;
  }

  /** Mostly small, now and then large: `limit` is hardly ever reached. */
  small(limit: number): number {
    return this.below(this.below(limit) + 1);
  }
}
