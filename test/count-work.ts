import { Session } from 'node:inspector/promises';

/**
 * Counts work instead of measuring time: every run of a block of JavaScript (V8's precise coverage), of this project and of the libraries it
 * asks, and what the built-in functions walk through that a block does not show: characters searched, bytes copied, members listed. The same
 * work has the same count on every machine. Not seen are the arithmetic of big integers and what runs below JavaScript.
 *
 * Counting changes the built-in functions while the work runs, and slows V8 down: nothing else should run meanwhile.
 */
export interface WorkCounter {
  /** Rejects with what the work throws. */
  count(work: () => unknown): Promise<number>;
  close(): Promise<void>;
}

/** `besides` are parts of the paths of files whose blocks do not count. */
export async function openWorkCounter(besides: readonly string[] = []): Promise<WorkCounter> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  // Vitest reports now and then, whatever runs.
  const skipped = ['/test/count-work.ts', '/node_modules/vitest/', '/node_modules/@vitest/', ...besides];
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
      let blocks = 0;
      for (const { url, functions } of result) {
        if (!url.startsWith('file:') || skipped.some((part) => url.includes(part))) continue;
        for (const { ranges } of functions) for (const { count } of ranges) blocks += count;
      }
      return blocks + builtIns.walked();
    },
    async close() {
      await session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
}

type Sized = { readonly length: number };
/** What a call walks through. */
type Cost = (self: Sized, result: unknown, args: readonly unknown[]) => number;

const sizeOf = (value: unknown): number =>
  typeof value === 'string' || ArrayBuffer.isView(value) || Array.isArray(value) ? Number(Reflect.get(Object(value), 'length')) : 0;
const whole: Cost = (self) => self.length;
const copied: Cost = (_, result) => sizeOf(result);
const given: Cost = (_, __, [first]) => sizeOf(first);
/** From where the search began to where it ended. */
const searched: Cost = (self, found, [, from = 0]) => (typeof found === 'number' && found !== -1 ? found : self.length) - Number(from);
const one: Cost = () => 1;

const BYTES = Object.getPrototypeOf(Uint8Array.prototype) as object;
/** Loops, spreads and copies of lists, maps, sets and texts take a step of these for each item. */
const ITERATORS = [[], new Map(), new Set(), ''].map((list) => Object.getPrototypeOf(list[Symbol.iterator]()) as object);

const METERED: readonly (readonly [owner: object, names: readonly string[], cost: Cost])[] = [
  [String.prototype, ['indexOf', 'lastIndexOf'], searched],
  [String.prototype, ['includes', 'search', 'replace', 'replaceAll', 'split', 'match', 'trim', 'toLowerCase', 'normalize'], whole],
  [String.prototype, ['slice', 'substring', 'concat', 'repeat', 'padStart'], copied],
  [Array.prototype, ['indexOf', 'lastIndexOf'], searched],
  [Array.prototype, ['includes', 'join', 'toSorted', 'sort', 'toReversed', 'shift', 'unshift', 'splice', 'toSpliced', 'with'], whole],
  [Array.prototype, ['slice', 'concat', 'flat', 'flatMap', 'map', 'filter'], copied],
  [BYTES, ['includes', 'indexOf', 'fill', 'join', 'with'], whole],
  [BYTES, ['slice'], copied],
  [BYTES, ['set'], given],
  [Buffer, ['from'], copied],
  [TextDecoder.prototype, ['decode'], given],
  [TextEncoder.prototype, ['encode'], given],
  [JSON, ['parse'], given],
  [JSON, ['stringify'], copied],
  [Object, ['keys', 'values', 'entries'], copied],
  ...ITERATORS.map((iterator) => [iterator, ['next'], one] as const),
];

/** Replaces built-in functions by ones that add what a call walks through, until they are restored. */
function meterBuiltIns(): { walked(): number; restore(): void } {
  let walked = 0;
  const restore: (() => void)[] = [];
  for (const [owner, names, cost] of METERED) {
    for (const name of names) {
      const descriptor = Object.getOwnPropertyDescriptor(owner, name);
      const original: unknown = descriptor?.value;
      if (descriptor === undefined || typeof original !== 'function') throw new TypeError(`Expected a function ${name}.`);
      function metered(this: Sized, ...args: unknown[]): unknown {
        const result: unknown = Reflect.apply(original as () => unknown, this, args);
        walked += Math.max(0, cost(this, result, args));
        return result;
      }
      Object.defineProperty(owner, name, { ...descriptor, value: metered });
      restore.push(() => Object.defineProperty(owner, name, descriptor));
    }
  }
  return {
    walked: () => walked,
    restore() {
      // Not a loop: its steps would be metered.
      restore.forEach((each) => each());
    },
  };
}
