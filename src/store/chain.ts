export interface Link<T> {
  readonly value: T;
  before: Link<T> | undefined;
  after: Link<T> | undefined;
}

/** Values in the order they were added, from which any one is taken out in constant time. (A `Map` steps over all it has deleted to find its first.) */
export class Chain<T> {
  #first: Link<T> | undefined;
  #last: Link<T> | undefined;

  get first(): T | undefined {
    return this.#first?.value;
  }

  add(value: T): Link<T> {
    const link: Link<T> = { value, before: this.#last, after: undefined };
    if (this.#last) this.#last.after = link;
    else this.#first = link;
    this.#last = link;
    return link;
  }

  /** `link` is one that `add` gave and that has not been removed. */
  remove(link: Link<T>): void {
    if (link.before) link.before.after = link.after;
    else this.#first = link.after;
    if (link.after) link.after.before = link.before;
    else this.#last = link.before;
  }
}
