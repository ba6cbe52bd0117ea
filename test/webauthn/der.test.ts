import { describe, expect, test } from 'vitest';
import { encodeUtf8, fromHex } from '../../src/kernel/bytes.js';
import { children, contents, DerSyntaxError, decodeDer, encoded } from '../../src/webauthn/der.js';
import * as values from '../../src/webauthn/der-values.js';
import {
  bitString,
  boolean,
  context,
  der,
  enumerated,
  integer,
  nothing,
  objectIdentifier,
  sequence,
  set,
  time,
} from '../../src/webauthn/der-writer.js';

describe('reading an element', () => {
  test('says what it read and where it stands', () => {
    const bytes = sequence(boolean(true), sequence(integer(5), context(1, nothing())), boolean(false));
    const [, element] = children(decodeDer(bytes));
    if (element === undefined) return expect.fail('Expected three elements.');
    expect(element).toMatchObject({ class: 'universal', tag: 16, constructed: true, start: 5, contentStart: 7, end: 14 });
    expect(children(element).map(({ class: kind, tag, start, end }) => [kind, tag, start, end])).toEqual([
      ['universal', 2, 7, 10],
      ['context', 1, 10, 14],
    ]);
    expect(encoded(element)).toEqual(bytes.slice(5, 14));
    expect(contents(element)).toEqual(bytes.slice(7, 14));
  });

  test.each([
    [31, 'bf1f'],
    [127, 'bf7f'],
    [128, 'bf8100'],
    [702, 'bf853e'],
  ])('reads tag %i in its long form', (tag, head) => {
    const bytes = context(tag, nothing());
    expect(bytes.subarray(0, head.length / 2)).toEqual(fromHex(head));
    expect(decodeDer(bytes)).toMatchObject({ class: 'context', tag, constructed: true });
  });

  test.each([0, 1, 127, 128, 255, 256, 65_535, 65_536])('reads contents of %i bytes', (size) => {
    const bytes = Uint8Array.from({ length: size }, (_, index) => index % 251);
    expect(Buffer.compare(contents(decodeDer(der(0x04, bytes))), bytes)).toBe(0);
  });

  test.each([
    ['nothing', '', 0, /expected more bytes/],
    ['a tag only', '30', 1, /expected more bytes/],
    ['a length cut short', '3082', 2, /expected more bytes/],
    ['contents cut short', '040201', 1, /expected 2 bytes of contents, got 1/],
    ['an indefinite length', '30800000', 1, /definite/],
    ['a length longer than needed', '048101ff', 1, /shortest form of the length 1/],
    ['a length with a leading zero', '0482000101', 1, /shortest/],
    ['a length of five bytes', '04850000000001', 1, /at most 4 bytes/],
    ['a tag with leading zeros', 'bf800105', 1, /tag number in its shortest form/],
    ['a tag beyond all bounds', 'bfffffffff7f00', 5, /tag number/],
    ['bytes behind', '050000', 2, /expected nothing after the element, got 1 more/],
    ['a child beyond its parent', '30020405', 3, /expected 5 bytes/],
  ])('refuses %s', (_, hex, offset, message) => {
    const read = () => children(decodeDer(fromHex(hex)));
    expect(read).toThrow(DerSyntaxError);
    expect(read).toThrow(expect.objectContaining({ offset, message: expect.stringMatching(message) }));
  });
});

describe('values', () => {
  const one = (bytes: Uint8Array) => decodeDer(bytes);

  test.each([
    ['020100', 0n],
    ['02017f', 127n],
    ['02020080', 128n],
    ['0201ff', -1n],
    ['020b00ed7f905d8bd0b414d178', 0xed7f905d8bd0b414d178n],
  ])('integer %s', (hex, value) => {
    expect(values.integer(one(fromHex(hex)), 'it')).toBe(value);
  });

  test('small integers, enumerated ones too', () => {
    expect(values.smallInteger(one(enumerated(2)), 'it')).toBe(2);
    expect(() => values.smallInteger(one(fromHex('0201ff')), 'it')).toThrow(/it from 0/);
    expect(() => values.smallInteger(one(integer(1n << 60n)), 'it')).toThrow(/it from 0/);
    expect(() => values.smallInteger(one(nothing()), 'it')).toThrow(/expected it, got null/);
    expect(() => values.smallInteger(undefined, 'it', one(sequence()))).toThrow(/expected it, got the end/);
    expect(() => values.integer(one(fromHex('0200')), 'it')).toThrow(/at least one byte/);
  });

  test.each(['2.5.29.19', '1.3.6.1.4.1.45724.1.1.4', '1.2.840.113635.100.8.2', '2.23.133.8.3', '0.9.2342.19200300.100.1.25', '2.999.1'])(
    'object identifier %s',
    (oid) => {
      expect(values.objectIdentifier(one(objectIdentifier(oid)), 'it')).toBe(oid);
    },
  );

  test('refuses an object identifier that ends in half a number', () => {
    expect(() => values.objectIdentifier(one(fromHex('06022a86')), 'it')).toThrow(/whole number/);
    expect(() => values.objectIdentifier(one(fromHex('0600')), 'it')).toThrow(/whole number/);
  });

  test('takes an object identifier of 128 bytes and refuses one of 129, however they are divided', () => {
    const oneNumber = (size: number) => der(0x06, new Uint8Array(size).fill(0xff, 0, -1).fill(0x7f, -1));
    const manyNumbers = (size: number) => der(0x06, new Uint8Array(size).fill(1));
    expect(values.objectIdentifier(one(oneNumber(128)), 'it')).toBe(`2.${2n ** (7n * 128n) - 1n - 80n}`);
    expect(values.objectIdentifier(one(manyNumbers(128)), 'it')).toBe(`0${'.1'.repeat(128)}`);
    for (const bytes of [oneNumber(129), manyNumbers(129), oneNumber(40_000), manyNumbers(40_000)]) {
      const element = one(bytes);
      const size = element.end - element.contentStart;
      expect(() => values.objectIdentifier(element, 'it')).toThrow(
        expect.objectContaining({ name: 'DerSyntaxError', offset: 0, detail: `expected it of at most 128 bytes, got ${size}` }),
      );
    }
  });

  test('takes an integer of 128 bytes and refuses one of 129', () => {
    const ones = (size: number) => one(der(0x02, new Uint8Array(size).fill(0x7f, 0, 1).fill(0xff, 1)));
    expect(values.integer(ones(128), 'it')).toBe(2n ** 1023n - 1n);
    for (const size of [129, 4_000_000]) {
      expect(() => values.integer(ones(size), 'it')).toThrow(
        expect.objectContaining({ name: 'DerSyntaxError', detail: `expected it of at most 128 bytes, got ${size}` }),
      );
    }
  });

  test('booleans, bit strings', () => {
    expect([boolean(true), boolean(false), fromHex('010101')].map((bytes) => values.boolean(one(bytes)))).toEqual([true, false, true]);
    expect(() => values.boolean(one(fromHex('0100')))).toThrow(/one byte/);
    // Old security keys announce unused bits that are used.
    expect(values.bitString(one(bitString(Uint8Array.of(1, 2), 1)), 'it')).toEqual(Uint8Array.of(1, 2));
    expect(() => values.bitString(one(fromHex('0300')), 'it')).toThrow(/unused bits/);
  });

  test.each([
    ['0c0568c3a96c6c', 'héll', 'UTF8String'],
    ['1302 5345', 'SE', 'PrintableString'],
    ['1404 68e96c6c', 'héll', 'TeletexString'],
    ['1602 6162', 'ab', 'IA5String'],
    ['1e04 00e9 0061', 'éa', 'BMPString'],
    ['1c08 0001f600 00000061', '😀a', 'UniversalString'],
  ])('character string %s', (hex, text, type) => {
    expect(values.characterString(one(fromHex(hex.replaceAll(' ', ''))))).toEqual({ text, type });
  });

  test('refuses an integer as a character string', () => {
    expect(() => values.characterString(one(integer(1)))).toThrow(/character string/);
    expect(() => values.characterString(one(set()))).toThrow(/character string/);
  });

  test.each([
    [time(Date.UTC(2024, 1, 29, 1, 2, 3)), Date.UTC(2024, 1, 29, 1, 2, 3)],
    [time(Date.UTC(1970, 0)), 0],
    [time(Date.UTC(2049, 11, 31)), Date.UTC(2049, 11, 31)],
    [time(Date.UTC(2106, 1, 7, 6, 28, 15)), Date.UTC(2106, 1, 7, 6, 28, 15)],
    [der(0x18, encodeUtf8('99991231235959Z')), Date.UTC(9999, 11, 31, 23, 59, 59)],
    [der(0x17, encodeUtf8('5001010000Z')), Date.UTC(1950, 0)],
  ])('time %#', (bytes, milliseconds) => {
    expect(values.time(one(bytes), 'it')).toBe(milliseconds);
  });

  test.each(['240230000000Z', '241301000000Z', '240101250000Z', '2401010000', '240101000000+0100', ''])('refuses %j as a time', (text) => {
    expect(() => values.time(one(der(0x17, encodeUtf8(text))), 'it')).toThrow(/expected it as a date in UTC/);
  });
});
