import { Session } from 'node:inspector/promises';

/**
 * Counts work instead of measuring time: how often each block of our source and its libraries ran (V8's precise coverage), plus the bytes,
 * characters and elements that built-in functions went through for them. The same work has the same count on every machine.
 * Not seen are spreads, the arithmetic of big integers, and what runs below JavaScript.
 */
export interface WorkCounter {
  count(work: () => unknown): Promise<number>;
  close(): Promise<void>;
}

export async function openWorkCounter(): Promise<WorkCounter> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return {
    async count(work) {
      await session.post('Profiler.takePreciseCoverage');
      const builtIns = meterBuiltIns();
      try {
        await work();
      } finally {
        builtIns.restore();
      }
      const { result } = await session.post('Profiler.takePreciseCoverage');
      const ours = result.filter(({ url }) => url.startsWith('file:') && !url.endsWith('/count-work.ts'));
      const blocks = ours.flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)));
      return blocks.reduce((sum, count) => sum + count, builtIns.went());
    },
    async close() {
      await session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
}

/** What a call goes through, by the object it is called on, its arguments and its result. */
type Cost = (on: { readonly length: number }, args: readonly unknown[], result: unknown) => number;

const all: Cost = ({ length }) => length;
const ofResult: Cost = (_, __, result) => (typeof result === 'object' && result !== null && 'length' in result ? Number(result.length) : 0);
const ofArgument: Cost = (_, [argument]) =>
  typeof argument === 'object' && argument !== null && 'length' in argument ? Number(argument.length) : 0;
/** From where the search begins to what was found, or to the end. */
const found: Cost = ({ length }, [, from], result) =>
  (typeof result === 'number' && result >= 0 ? result : length) - (typeof from === 'number' ? from : 0);

const METERED: readonly (readonly [prototype: object, costs: Readonly<Record<string, Cost>>])[] = [
  [
    Object.getPrototypeOf(Uint8Array.prototype) as object,
    { slice: ofResult, set: ofArgument, indexOf: found, includes: all, fill: all, with: all },
  ],
  [
    Array.prototype,
    {
      slice: ofResult,
      concat: ofResult,
      indexOf: found,
      includes: all,
      shift: all,
      unshift: all,
      splice: all,
      join: all,
      toSpliced: all,
      with: all,
    },
  ],
  // V8 takes a part of a string without a copy.
  [
    String.prototype,
    { indexOf: found, includes: all, search: found, replace: all, replaceAll: all, split: all, match: all, trim: all, toLowerCase: all },
  ],
];

function meterBuiltIns(): { went(): number; restore(): void } {
  let went = 0;
  const originals: (() => void)[] = [];
  for (const [prototype, costs] of METERED) {
    for (const [name, cost] of Object.entries(costs)) {
      const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
      const original: unknown = descriptor?.value;
      if (descriptor === undefined || typeof original !== 'function') continue;
      const metered = function (this: { readonly length: number }, ...args: unknown[]): unknown {
        const result: unknown = Reflect.apply(original, this, args);
        went += Math.max(0, cost(this, args, result));
        return result;
      };
      Object.defineProperty(prototype, name, { ...descriptor, value: metered });
      originals.push(() => Object.defineProperty(prototype, name, descriptor));
    }
  }
  return {
    went: () => went,
    restore: () => {
      for (const restore of originals) restore();
    },
  };
}
