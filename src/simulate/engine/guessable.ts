/** A challenge from the target, and the time at which it arrived, in milliseconds since the epoch. */
interface Sample {
  readonly bytes: Uint8Array;
  readonly at: number;
}

/** Evidence that challenges can be guessed: all but a few bits of each challenge follow from earlier challenges or from the time. */
interface Guessable {
  readonly by: 'counter' | 'clock' | 'constant';
  /** Maximum number of bits that an attacker must guess, rounded. */
  readonly bits: number;
}

/**
 * Minimum number of samples for a judgement. Among 32 draws, a random byte takes about 30 different values and never fewer than 16. A
 * challenge of 16 random bytes or 20 random digits therefore falls below {@link MIN_BITS} far less often than once in 10⁹ runs.
 */
export const MIN_SAMPLES = 32;
const MAX_SAMPLES = 256;

/** With fewer unpredictable bits than this, an attacker can try all challenges. Eight random bytes contain 64 bits, which is enough. */
const MIN_BITS = 48;

/** A range of bytes, at the same position in every challenge, that follows from the time or from the previous challenge. */
interface Window {
  readonly start: number;
  readonly width: number;
  readonly by: 'counter' | 'clock';
}

/**
 * Finds out whether challenges can be guessed. Searches the challenges of a run, in order, for bytes that never change, contain a counter
 * or contain the time. Undefined if there is no such weakness, or if too few challenges have the same length. Never underestimates the
 * remaining random bits, because a correct server may put a clock or a name next to its random bytes.
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

/** Estimates an upper limit of the random bits in one byte position. Among 256 draws, a random byte takes about 160 different values. */
function countBits(values: readonly unknown[]): number {
  const { size } = new Set(values);
  return size >= values.length / 2 ? 8 : Math.log2(size);
}

/** Selects the distinct challenges of the most frequent length. */
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

/**
 * Widths, in bytes, of a binary number that can hold the time since 1970 in seconds, milliseconds, microseconds or nanoseconds.
 * `CLOCK_DIGITS` has the widths of decimal numbers.
 */
const CLOCK_BYTES = [4, 5, 6, 7, 8];
const CLOCK_DIGITS = [10, 13, 16, 19];
const COUNTER_BYTES = [1, 2, 3, 4, 5, 6, 7, 8];

/** Finds the smallest windows that contain a clock or a counter. A larger window would include neighbouring bytes, which may be random. */
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

/** Reads a number from some bytes of a challenge, precisely enough for comparisons. NaN if the bytes are not a number. */
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

/** How many seconds, milliseconds, microseconds and nanoseconds one millisecond has. */
const UNITS = [0.001, 1, 1_000, 1_000_000];
const DAY_MS = 86_400_000;

/** Whether the number in every challenge is a time within a day of the challenge's arrival. A day covers every time zone. */
function isClock(samples: readonly Sample[], read: (sample: Sample) => number): boolean {
  return UNITS.some((unit) => samples.every((sample) => Math.abs(read(sample) / unit - sample.at) <= DAY_MS));
}

/** Share of challenges that may be out of order, because responses to parallel requests may arrive in another order. */
const MAX_FALLS = 0.05;

/**
 * Whether the numbers increase from almost every challenge to the next. Random numbers increase in only half of the steps, so that they
 * almost never look like a counter.
 */
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
