/** A challenge that the target gave, and when it came, in milliseconds since the epoch. */
interface Sample {
  readonly bytes: Uint8Array;
  readonly at: number;
}

/** Why challenges can be guessed: all except some bits of each follow from the others, or from the time. */
interface Guessable {
  readonly by: 'counter' | 'clock' | 'constant';
  /** An upper limit, rounded. */
  readonly bits: number;
}

/**
 * The fewest samples for a statement. Of 32 draws of a random byte about 30 differ, and fewer than 16 never do: 16 random bytes, and 20
 * random digits, fall below {@link MIN_BITS} far less often than once in 10⁹ runs.
 */
export const MIN_SAMPLES = 32;
const MAX_SAMPLES = 256;

/** Fewer bits can be tried out. Eight random bytes have more. */
const MIN_BITS = 48;

/** A part of every challenge that follows from the time or from the one before. */
interface Window {
  readonly start: number;
  readonly width: number;
  readonly by: 'counter' | 'clock';
}

/**
 * Finds out whether challenges can be guessed, from the challenges of a run in order: by places that never change, that count, or that hold
 * the time. Undefined: not in these ways, or there are too few of one length. Never underestimates the remaining bits: a correct server may
 * put a clock or a name beside its random bytes.
 */
export function findGuessable(samples: readonly Sample[]): Guessable | undefined {
  const alike = selectAlike(samples).slice(-MAX_SAMPLES);
  if (alike.length < MIN_SAMPLES) return undefined;
  const windows = findWindows(alike);
  const isFree = (_: number, place: number) => windows.every(({ start, width }) => place < start || place >= start + width);
  const places = [...(alike[0]?.bytes ?? [])].map((_, place) => countBits(alike.map(({ bytes }) => bytes[place])));
  const bits = places.filter(isFree).reduce((sum, each) => sum + each, 0);
  return bits >= MIN_BITS ? undefined : { by: windows[0]?.by ?? 'constant', bits: Math.round(bits) };
}

/** An upper limit of the bits in one place. Of 256 draws of a random byte, 160 or so differ. */
function countBits(values: readonly unknown[]): number {
  const { size } = new Set(values);
  return size >= values.length / 2 ? 8 : Math.log2(size);
}

/** Different challenges of the most frequent length. */
function selectAlike(samples: readonly Sample[]): readonly Sample[] {
  const byLength = new Map<number, Map<string, Sample>>();
  for (const sample of samples) {
    const { length } = sample.bytes;
    const alike = byLength.get(length) ?? new Map<string, Sample>();
    byLength.set(length, alike.set(sample.bytes.join(), sample));
  }
  const [most] = [...byLength.values()].toSorted((one, other) => other.size - one.size);
  return [...(most?.values() ?? [])];
}

/** Numbers of bytes and of decimal digits that hold a time since 1970, in seconds to nanoseconds. */
const CLOCK_BYTES = [4, 5, 6, 7, 8];
const CLOCK_DIGITS = [10, 13, 16, 19];
const COUNTER_BYTES = [1, 2, 3, 4, 5, 6, 7, 8];

/** The smallest windows with a clock or a counter: larger ones would include other places, which may be random. */
function findWindows(samples: readonly Sample[]): readonly Window[] {
  const length = samples[0]?.bytes.length ?? 0;
  const found: Window[] = [];
  const take = (by: Window['by'], width: number, readers: readonly Reader[], holds: typeof isClock) => {
    for (let start = 0; start + width <= length; start++) {
      const isFree = found.every((other) => start + width <= other.start || other.start + other.width <= start);
      if (isFree && readers.some((read) => holds(samples, ({ bytes }) => read(bytes, start, width)))) found.push({ start, width, by });
    }
  };
  for (const width of CLOCK_DIGITS) take('clock', width, [readDigits], isClock);
  for (const width of CLOCK_BYTES) take('clock', width, [readBigEndian, readLittleEndian], isClock);
  for (const width of COUNTER_BYTES) take('counter', width, [readBigEndian, readLittleEndian], isCounter);
  return found;
}

/** Reads a number, as exactly as its comparison needs; NaN: there is none. */
type Reader = (bytes: Uint8Array, start: number, width: number) => number;

function readBigEndian(bytes: Uint8Array, start: number, width: number): number {
  let number = 0;
  for (let place = start; place < start + width; place++) number = number * 256 + (bytes[place] ?? 0);
  return number;
}

function readLittleEndian(bytes: Uint8Array, start: number, width: number): number {
  let number = 0;
  for (let place = start + width - 1; place >= start; place--) number = number * 256 + (bytes[place] ?? 0);
  return number;
}

function readDigits(bytes: Uint8Array, start: number, width: number): number {
  let number = 0;
  for (let place = start; place < start + width; place++) {
    const digit = (bytes[place] ?? 0) - 48;
    if (digit < 0 || digit > 9) return Number.NaN;
    number = number * 10 + digit;
  }
  return number;
}

/** Units in a millisecond: seconds, milliseconds, microseconds, nanoseconds. */
const UNITS = [0.001, 1, 1_000, 1_000_000];
const DAY_MS = 86_400_000;

/** Whether all numbers are within a day of the time of their challenge, in any time zone. */
function isClock(samples: readonly Sample[], read: (sample: Sample) => number): boolean {
  return UNITS.some((unit) => samples.every((sample) => Math.abs(read(sample) / unit - sample.at) <= DAY_MS));
}

/** Requests that were sent at once may be answered in another order. */
const MAX_FALLS = 0.05;

/** Whether numbers nearly always rise. Random ones do in every second step; in 30 of 31 steps, once in 10²³ runs. */
function isCounter(samples: readonly Sample[], read: (sample: Sample) => number): boolean {
  let left = Math.floor(MAX_FALLS * (samples.length - 1));
  let before = -1;
  for (const sample of samples) {
    const number = read(sample);
    if (number <= before) left -= 1;
    if (left < 0) return false;
    before = number;
  }
  return true;
}
