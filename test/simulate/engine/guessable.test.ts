import { createCipheriv, createHmac } from 'node:crypto';
import { describe, expect } from 'vitest';
import { findGuessable, MIN_SAMPLES } from '../../../src/simulate/engine/guessable.js';
import { quick, thorough } from '../../thorough.js';

type Sample = Parameters<typeof findGuessable>[0][number];

/** Random bytes that are the same in every run: AES in counter mode. */
function generateFrom(seed: number): (length: number) => Buffer {
  const key = createHmac('sha256', 'guessable').update(String(seed)).digest();
  const stream = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  return (length) => stream.update(Buffer.alloc(length));
}

const START = Date.UTC(2026, 10, 28, 14, 30);

type Generator = (draw: (length: number) => Buffer, at: number, index: number) => Buffer;

function sample(
  generate: Generator,
  { seed = 1, count = MIN_SAMPLES }: { readonly seed?: number; readonly count?: number } = {},
): Sample[] {
  const draw = generateFrom(seed);
  return Array.from({ length: count }, (_, index) => {
    const at = START + index * 37 + (draw(1)[0] ?? 0);
    return { bytes: new Uint8Array(generate(draw, at, index)), at };
  });
}

const number = (value: number, length: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes.subarray(8 - length);
};
const hex = (bytes: Buffer): Buffer => Buffer.from(bytes.toString('hex'));
const digits = (bytes: Buffer): Buffer => Buffer.from([...bytes].map((byte) => String(byte % 10)).join(''));
const uuid = (bytes: Buffer): Buffer => {
  const text = bytes.toString('hex');
  return Buffer.from(`${text.slice(0, 8)}-${text.slice(8, 12)}-4${text.slice(13, 16)}-a${text.slice(17, 20)}-${text.slice(20, 32)}`);
};

const RANDOM: Readonly<Record<string, Generator>> = {
  '16 bytes': (draw) => draw(16),
  '64 bytes': (draw) => draw(64),
  'eight bytes as hexadecimal text': (draw) => hex(draw(8)),
  'eight bytes behind eight constant ones': (draw) => Buffer.concat([Buffer.alloc(8), draw(8)]),
  '20 decimal digits': (draw) => digits(draw(20)),
  'a UUID of version 4 as text': (draw) => uuid(draw(16)),
  'a UUID of version 7': (draw, at) => Buffer.concat([number(at, 6), draw(10)]),
  'a counter before 16 bytes': (draw, _, index) => Buffer.concat([number(index, 8), draw(16)]),
  'nanoseconds after 10 bytes': (draw, at) => Buffer.concat([draw(10), number(at * 1_000_000, 8)]),
  'a token with its time and HMAC-SHA-256': (draw, at) => {
    const text = `eyJhbGciOiJIUzI1NiJ9.${Buffer.from(`{"iat":${Math.floor(at / 1000)}}`).toString('base64url')}`;
    return Buffer.from(`${text}.${createHmac('sha256', draw(1)).update(text).digest('base64url')}`);
  },
};

const WEAK: readonly (readonly [name: string, generate: Generator, by: string, most: number])[] = [
  ['a counter', (_, __, index) => number(index, 8), 'counter', 1],
  [
    'a counter in a constant',
    (_, __, index) => Buffer.concat([Buffer.alloc(6, 7), number(index + 250, 4), Buffer.alloc(6, 9)]),
    'counter',
    1,
  ],
  ['a counter, last byte first', (_, __, index) => Buffer.concat([number(index + 250, 8).reverse(), Buffer.alloc(8)]), 'counter', 1],
  [
    'a counter in steps of 1,000, before three bytes',
    (draw, _, index) => Buffer.concat([number(index * 1000, 8), Buffer.alloc(5), draw(3)]),
    'counter',
    32,
  ],
  ['seconds, and five bytes', (draw, at) => Buffer.concat([number(Math.floor(at / 1000), 4), Buffer.alloc(7), draw(5)]), 'clock', 40],
  ['milliseconds', (_, at) => Buffer.concat([Buffer.alloc(8), number(at, 8)]), 'clock', 1],
  ['microseconds, and four bytes', (draw, at) => Buffer.concat([Buffer.alloc(4), draw(4), number(at * 1000, 8)]), 'clock', 32],
  ['nanoseconds, last byte first', (_, at) => Buffer.concat([number(at * 1_000_000, 8).reverse(), Buffer.alloc(8)]), 'clock', 1],
  ['milliseconds as text, and four digits', (draw, at) => Buffer.concat([Buffer.from(`t-${at}-`), digits(draw(4))]), 'clock', 24],
  ['four bytes behind a constant', (draw) => Buffer.concat([Buffer.alloc(12, 5), draw(4)]), 'constant', 32],
  ['12 digits in a longer text', (draw) => Buffer.concat([Buffer.from('challenge-'), digits(draw(12))]), 'constant', 40],
];

describe('what a random generator gives is not guessable', () => {
  thorough('in 10,000 runs of 16 bytes', () => {
    const found = Array.from({ length: 10_000 }, (_, seed) => findGuessable(sample((draw) => draw(16), { seed })));
    expect(found.filter((each) => each !== undefined)).toEqual([]);
  });

  quick.each(Object.entries(RANDOM))('in runs of %s', (_, generate) => {
    const counts = [MIN_SAMPLES, 100, 400];
    const runs = counts.flatMap((count) => Array.from({ length: 15 }, (__, seed) => findGuessable(sample(generate, { seed, count }))));
    expect(runs.filter((each) => each !== undefined)).toEqual([]);
  });
});

quick.each(WEAK)('%s is guessable', (_, generate, by, most) => {
  for (const count of [MIN_SAMPLES, 400]) {
    const found = findGuessable(sample(generate, { count }));
    expect(found?.by).toBe(by);
    expect(found?.bits).toBeLessThanOrEqual(most);
  }
});

quick('nothing is said of a few challenges, or of a few different ones', () => {
  const [generate] = WEAK.map(([, each]) => each);
  if (generate === undefined) throw new TypeError('Expected a weak generator.');
  const few = sample(generate, { count: MIN_SAMPLES - 1 });
  expect(findGuessable(few)).toBeUndefined();
  expect(findGuessable([...few, ...few, ...few])).toBeUndefined();
});

quick('a few that came in another order are no reason to think that challenges do not count', () => {
  const samples = sample((_, __, index) => number(index, 8), { count: 100 });
  const [first, second, ...others] = samples;
  if (first === undefined || second === undefined) throw new TypeError('Expected two samples.');
  expect(findGuessable([second, first, ...others])).toMatchObject({ by: 'counter' });
});
