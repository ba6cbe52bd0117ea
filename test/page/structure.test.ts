import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { annotateCeremony } from '../../src/explain/annotation.js';
import type { JsonObject } from '../../src/kernel/json-value.js';
import type { Field } from '../../src/page/decode.js';
import {
  cutSegments,
  failedPaths,
  findMalformed,
  findStructures,
  isWithin,
  keyStructure,
  layOutRows,
  type Segment,
  type Structure,
} from '../../src/page/view/bytes/structure.js';
import { listLines, moved, shortValue } from '../../src/page/view/bytes/tree.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import { JSON_SAMPLES, vector } from '../explain/annotate/samples.js';
import { decoded } from './annotated.js';

const ASKED = { challenge: undefined, origin: undefined, rpId: undefined };

function structures(response: JsonObject) {
  return findStructures(decoded(response, ASKED), response);
}

async function recorded(name: string) {
  const fixture: { response: JsonObject } = JSON.parse(
    await readFile(new URL(`../../fixtures/recorded/${name}.json`, import.meta.url), 'utf8'),
  );
  return structures(fixture.response);
}

function named(all: readonly Structure[], name: string): Structure {
  const found = all.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no ${name} among ${all.map((one) => one.name).join(', ')}`);
  return found;
}

/** Names of the coloured segments in their order. */
const coloured = (segments: readonly Segment[]) => segments.filter(({ frame, tone }) => !frame && tone > 0).map(({ field }) => field.name);

describe('the structures of a response', () => {
  test('what the authenticator made comes first, what has no bytes of its own stands apart', async () => {
    const registration = structures(JSON_SAMPLES.registration);
    expect(registration.structures.map(({ name }) => name)).toStrictEqual(['attestationObject', 'clientDataJSON']);
    const login = structures(JSON_SAMPLES.authentication);
    expect(login.structures.map(({ name }) => name)).toStrictEqual(['authenticatorData', 'clientDataJSON', 'signature', 'userHandle']);
    expect(login.rest.map(({ name }) => name)).toContain('clientExtensionResults');
    expect(login.structures.filter(({ text }) => text).map(({ name }) => name)).toStrictEqual(['clientDataJSON', 'userHandle']);
  });

  test.each([
    [0x1f, false],
    [0x20, true],
    [0x7e, true],
    [0x7f, false],
    [0x80, true],
  ])('a byte %i is text: %s', (byte, isText) => {
    const { response } = JSON_SAMPLES.authentication;
    const userHandle = encodeBase64url(Uint8Array.of(0x41, byte));
    expect(named(structures({ ...JSON_SAMPLES.authentication, response: { ...response, userHandle } }).structures, 'userHandle').text).toBe(
      isText,
    );
  });

  test('the key of a record is one, and none where there is no key', () => {
    const publicKey = encodeBase64url(vector.credentialPublicKey);
    const key = keyStructure(publicKey, annotateCeremony({ publicKey }).public_key);
    expect(key?.field.value).toBe('ES256');
    expect(key && coloured(cutSegments(key))).toStrictEqual(['kty (1)', 'alg (3)', 'crv (-1)', 'x (-2)', 'y (-3)']);
    expect(keyStructure(publicKey, null)?.bytes).toStrictEqual(key?.bytes);
    expect(keyStructure(undefined, null)).toBeUndefined();
    expect(keyStructure('', null)).toBeUndefined();
  });
});

describe('segments', () => {
  test.each(['registration-packed', 'registration-u2f', 'registration-rs256', 'registration-synced', 'login-discoverable', 'login-rs256'])(
    'of %s cover every byte once',
    async (fixture) => {
      for (const structure of (await recorded(fixture)).structures) {
        let at = 0;
        for (const { start, end } of cutSegments(structure)) {
          expect(start).toBe(at);
          expect(end).toBeGreaterThan(start);
          at = end;
        }
        expect(at).toBe(structure.bytes.length);
      }
    },
  );

  test('of authenticator data are its parts, in different colours', async () => {
    const segments = cutSegments(named(structures(JSON_SAMPLES.authentication).structures, 'authenticatorData'));
    expect(segments.map(({ path, start, end }) => [path, start, end])).toStrictEqual([
      ['authenticatorData/rpIdHash', 0, 32],
      ['authenticatorData/flags', 32, 33],
      ['authenticatorData/signCount', 33, 37],
    ]);
    expect(new Set(segments.map(({ tone }) => tone)).size).toBe(3);
  });

  test('of client data are the values; names and punctuation hold them together', async () => {
    const structure = named(structures(JSON_SAMPLES.registration).structures, 'clientDataJSON');
    const text = (wanted: boolean) =>
      cutSegments(structure)
        .filter(({ frame }) => frame === wanted)
        .map(({ start, end }) => new TextDecoder().decode(structure.bytes.subarray(start, end)));
    expect(text(false)[0]).toBe('"webauthn.create"');
    expect(text(true)[0]).toBe('{"type":');
  });

  test('of a response that cannot be read are one', async () => {
    const response = { ...JSON_SAMPLES.authentication, response: { ...JSON_SAMPLES.authentication.response, authenticatorData: 'AAAA' } };
    const segments = cutSegments(named(structures(response).structures, 'authenticatorData'));
    expect(segments.map(({ start, end }) => [start, end])).toStrictEqual([[0, 3]]);
  });

  test('show a flag with all flags, and a part with its whole', async () => {
    const segments = cutSegments(named(structures(JSON_SAMPLES.registration).structures, 'attestationObject'));
    const lit = (path: string) => segments.filter((segment) => isWithin(segment, path)).map(({ field }) => field.name);
    expect(lit('attestationObject/authData/flags/UP')).toStrictEqual(['flags']);
    expect(lit('attestationObject/authData/credentialPublicKey')).toContain('x (-2)');
    expect(lit('attestationObject/authData/credentialPublicKey')).not.toContain('aaguid');
    expect(segments.some((segment) => isWithin(segment, undefined))).toBe(false);
  });
});

describe('rows of the hex dump', () => {
  const segment = (start: number, end: number, path = `s/${start}`): Segment => ({
    path,
    field: { name: path },
    start,
    end,
    tone: 1,
    frame: false,
  });

  test('cut segments at the end of a row', () => {
    const rows = layOutRows([segment(0, 3), segment(3, 20), segment(20, 24)], { length: 24, columns: 8, open: new Set() });
    expect(rows).toMatchObject([{ offset: 0 }, { offset: 8 }, { offset: 16 }]);
    expect(
      rows.flatMap((row) => ('runs' in row ? row.runs : []).map(({ start, end, first, last }) => [start, end, first, last])),
    ).toStrictEqual([
      [0, 3, true, true],
      [3, 8, true, false],
      [8, 16, false, false],
      [16, 20, false, true],
      [20, 24, true, true],
    ]);
  });

  test('fold what is long until it is asked for', () => {
    const segments = [segment(0, 16), segment(16, 2_000, 's/pub'), segment(2_000, 2_016)];
    const drawn = (...open: readonly string[]) => layOutRows(segments, { length: 2_016, columns: 16, open: new Set(open) });
    expect(drawn()).toHaveLength(7);
    expect(drawn().filter((row) => 'path' in row)).toStrictEqual([{ path: 's/pub', name: 'pub', start: 16, end: 2_000 }]);
    expect(drawn('s/pub')).toHaveLength(2_016 / 16);
    expect(drawn('s/pub').filter((row) => 'path' in row)).toStrictEqual([]);
  });

  test('fold a certificate as a whole, and never what only holds parts together', async () => {
    const structure = named((await recorded('registration-packed')).structures, 'attestationObject');
    const rows = layOutRows(cutSegments(structure), { length: structure.bytes.length, columns: 16, open: new Set() });
    const folds = rows.filter((row) => 'path' in row);
    expect(folds.map(({ name }) => name)).toStrictEqual(['x5c[0]']);
    expect(folds[0]?.end).toBeLessThan(structure.bytes.length);
  });
});

describe('lines of the tree', () => {
  const tree: readonly Field[] = [
    { name: 'a', children: [{ name: 'b' }, { name: 'x5c[0]', children: [{ name: 'subject' }] }] },
    { name: 'copies', collapsed: true, children: [{ name: 'c' }] },
  ];
  const paths = (toggled: readonly string[]) => listLines(tree, new Set(toggled)).map(({ path }) => path);

  test('leave certificates and copies closed', () => {
    expect(paths([])).toStrictEqual(['a', 'a/b', 'a/x5c[0]', 'copies']);
    expect(paths(['a/x5c[0]', 'copies'])).toStrictEqual(['a', 'a/b', 'a/x5c[0]', 'a/x5c[0]/subject', 'copies', 'copies/c']);
    expect(paths(['a'])).toStrictEqual(['a', 'copies']);
  });

  test('say where they stand', () => {
    expect(listLines(tree, new Set())[2]).toMatchObject({ level: 2, position: 2, siblings: 2, open: false });
  });

  test.each([
    ['ArrowDown', 4],
    ['ArrowUp', 2],
    ['Home', 0],
    ['End', 4],
    ['x', undefined],
  ])('%s moves from the fourth of five to %s', (key, to) => {
    expect(moved(key, 3, 5)).toBe(to);
  });

  test('long hexadecimal is cut beside its bytes only', () => {
    const value = 'ab'.repeat(20);
    expect(shortValue({ name: 'id', value })).toBe(value);
    expect(shortValue({ name: 'id', value, at: { offset: 0, length: 20 } })).toBe(`${'ab'.repeat(8)}…`);
  });
});

describe('the bytes that a failed step looks at', () => {
  const paths = async (slug: string, response: JsonObject) =>
    structures(response).structures.flatMap(({ field }) => failedPaths(slug, field));

  test.each([
    ['origin', 'clientDataJSON/origin'],
    ['challenge', 'clientDataJSON/challenge'],
    ['rp-id-hash', 'attestationObject/authData/rpIdHash'],
    ['user-verified', 'attestationObject/authData/flags/UV'],
    ['algorithm', 'attestationObject/authData/credentialPublicKey/alg (3)'],
    ['attestation-format', 'attestationObject/fmt'],
  ])('%s, of a registration', async (slug, path) => {
    expect(await paths(slug, JSON_SAMPLES.registration)).toStrictEqual([path]);
  });

  test.each([
    ['rp-id-hash', 'authenticatorData/rpIdHash'],
    ['sign-count', 'authenticatorData/signCount'],
    ['signature', 'signature'],
    ['user-handle', 'userHandle'],
  ])('%s, of a login', async (slug, path) => {
    expect(await paths(slug, JSON_SAMPLES.authentication)).toStrictEqual([path]);
  });

  test('none of a step that looks at no bytes', async () => {
    expect(await paths('store', JSON_SAMPLES.registration)).toStrictEqual([]);
  });
});

describe('the byte at which it cannot be decoded', () => {
  const bad = (subject: string, byte: number): Partial<Field> => ({
    verdict: 'bad',
    note: `The ${subject} is malformed at byte ${byte}: no.`,
  });

  test('is that of the structure, or of the authenticator data in it, behind the head of their byte string', () => {
    expect(findMalformed({ name: 'clientDataJSON', ...bad('client data', 51) })).toBe(51);
    const authData = (length: number): Field => ({
      name: 'attestationObject',
      children: [{ name: 'authData', at: { offset: 28, length }, ...bad('authenticator data', 10) }],
    });
    expect([2, 38, 331].map((length) => findMalformed(authData(length)))).toStrictEqual([39, 40, 41]);
  });

  test('is unknown where nothing says it', () => {
    expect(findMalformed({ name: 'clientDataJSON', verdict: 'bad', note: 'expected "http://a"' })).toBeUndefined();
    expect(findMalformed({ name: 'attestationObject', children: [{ name: 'authData' }] })).toBeUndefined();
  });
});
