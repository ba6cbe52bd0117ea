/**
 * Counts the work of each large input at n and at 2n, by itself: `node --import tsx test/large/meter.ts` prints an object of `[at n, at 2n]` as JSON.
 * It runs in a process of its own, because counting changes the built-in functions and slows V8 down.
 *
 * What counts: every run of a block of JavaScript (V8's precise coverage), of this project and of the libraries it asks, and what the built-in
 * functions walk through that a block does not show: characters searched, bytes copied, members listed.
 */
import { Session } from 'node:inspector';
import { LARGE_INPUTS } from './inputs.js';

let walked = 0;

/** Replaces a built-in function by one that adds what a call walks through. */
function meter<T extends object>(
  owner: T,
  name: keyof T & string,
  cost: (self: Sized, result: unknown, args: readonly unknown[]) => number,
): void {
  const original: unknown = Reflect.get(owner, name);
  if (typeof original !== 'function') throw new TypeError(`Expected a function ${name}.`);
  Object.defineProperty(owner, name, {
    configurable: true,
    writable: true,
    value: function metered(this: Sized, ...args: unknown[]): unknown {
      const result: unknown = Reflect.apply(original, this, args);
      walked += cost(this, result, args);
      return result;
    },
  });
}

type Sized = { readonly length: number };
const sizeOf = (value: unknown): number =>
  typeof value === 'string' || ArrayBuffer.isView(value) || Array.isArray(value) ? Number(Reflect.get(Object(value), 'length')) : 0;
const whole = (self: Sized) => self.length;
const copied = (_: Sized, result: unknown) => sizeOf(result);
const given = (_: Sized, __: unknown, [first]: readonly unknown[]) => sizeOf(first);
const members = (_: Sized, result: unknown) => sizeOf(result);
/** From where the search began to where it ended. */
const searched = (self: Sized, found: unknown, [, from = 0]: readonly unknown[]) =>
  (typeof found === 'number' && found !== -1 ? found : self.length) - Number(from);

function meterBuiltIns(): void {
  for (const name of ['indexOf', 'lastIndexOf'] as const) {
    meter(String.prototype, name, searched);
    meter(Array.prototype, name, searched);
  }
  for (const name of ['includes', 'search', 'replace', 'replaceAll', 'split', 'match', 'trim', 'toLowerCase', 'normalize'] as const) {
    meter(String.prototype, name, whole);
  }
  for (const name of ['slice', 'substring', 'concat', 'repeat', 'padStart'] as const) meter(String.prototype, name, copied);
  for (const name of ['includes', 'join', 'toSorted', 'sort', 'toReversed'] as const) meter(Array.prototype, name, whole);
  for (const name of ['slice', 'concat', 'flat', 'flatMap', 'map', 'filter'] as const) meter(Array.prototype, name, copied);
  const bytes = Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array;
  for (const name of ['includes', 'indexOf', 'fill', 'join'] as const) meter(bytes, name, whole);
  meter(bytes, 'slice', copied);
  meter(bytes, 'set', given);
  meter(Buffer, 'from', copied);
  meter(TextDecoder.prototype, 'decode', given);
  meter(TextEncoder.prototype, 'encode', given);
  meter(JSON, 'parse', given);
  meter(JSON, 'stringify', copied);
  for (const name of ['keys', 'values', 'entries'] as const) meter(Object, name, members);
  // Loops, spreads and copies of lists, maps, sets and texts take a step of these for each item.
  for (const list of [[], new Map(), new Set(), '']) meter(Object.getPrototypeOf(list[Symbol.iterator]()), 'next', () => 1);
}

const session = new Session();

/** Blocks of JavaScript that have run since the last call. */
function blocksRun(): number {
  let blocks = 0;
  session.post('Profiler.takePreciseCoverage', (error, coverage) => {
    if (error) throw error;
    for (const { url, functions } of coverage.result) {
      if (!url.startsWith('file:') || url.includes('/test/large/')) continue;
      for (const { ranges } of functions) for (const { count } of ranges) blocks += count;
    }
  });
  return blocks;
}

async function workOf(run: () => unknown): Promise<number> {
  blocksRun();
  walked = 0;
  try {
    await run();
  } catch (error) {
    if (!(error instanceof Error) || !/^(PasskeyError|CborSyntaxError)$/.test(error.name)) throw error;
  }
  const steps = walked;
  return steps + blocksRun();
}

session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
meterBuiltIns();
const counted: Record<string, readonly [number, number]> = {};
for (const [name, { counted: size, make }] of Object.entries(LARGE_INPUTS)) {
  // What is loaded, compiled or made once is not counted.
  await workOf(make(size));
  counted[name] = [await workOf(make(size)), await workOf(make(2 * size))];
}
process.stdout.write(JSON.stringify(counted));
