import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../../src/store/memory.js';
import { splitLines } from '../../../src/store/transfer/export-reader.js';
import { importLines } from '../../../src/store/transfer/import-lines.js';
import { allOf, fill, importInto, linesOf } from '../../contract/moved.js';
import { newPasskey } from '../../contract/samples.js';

const source = createMemoryStore();
await fill(source);
/** Head · two users · a removed one · three passkeys · two accesses · end mark. */
const LINES = await linesOf(source);

/** With an end mark that fits what is in front of it, so that only the change is wrong. */
function sealed(lines: readonly string[]): string[] {
  const body = lines.slice(0, -1);
  const sha256 = createHash('sha256')
    .update(body.map((line) => `${line}\n`).join(''))
    .digest('hex');
  return [...body, (lines.at(-1) ?? '').replace(/"sha256":"[0-9a-f]+"/, `"sha256":"${sha256}"`)];
}

const changed = (index: number, from: string | RegExp, to: string): string[] => {
  const lines = [...LINES];
  const line = lines[index] ?? '';
  lines[index] = line.replace(from, to);
  expect(lines[index]).not.toBe(line);
  return lines;
};
const swapped = (one: number, other: number): string[] => {
  const lines = [...LINES];
  [lines[one], lines[other]] = [LINES[other] ?? '', LINES[one] ?? ''];
  return lines;
};
const CREDENTIAL_ID = /"credential_id":"[^"]+"/;
const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;

const DAMAGED: [name: string, lines: () => readonly string[], says: string][] = [
  ['nothing', () => [], 'it is damaged: is empty'],
  ['something else', () => ['{"name":"x"}'], 'in line 1: expected the head of a store'],
  ['no head', () => LINES.slice(1), 'in line 1: expected the head of a store'],
  ['no JSON', () => ['hello'], 'in line 1: expected JSON'],
  ['an array', () => ['[1]'], 'in line 1: expected a JSON object'],
  ['two heads', () => [LINES[0] ?? '', ...LINES], 'in line 2: expected an owner, removed_owner, passkey'],
  ['no end mark', () => LINES.slice(0, -1), 'is cut off after line 9: its end mark is missing'],
  ['a line that is cut off', () => [...LINES.slice(0, 4), (LINES[4] ?? '').slice(0, 50)], 'in line 5: expected JSON'],
  ['more than the end', () => [...LINES, LINES[1] ?? ''], 'in line 11: expected nothing after the end mark'],
  ['a changed row', () => changed(4, '"sign_count":5', '"sign_count":6'), 'in line 10: the digest is not that of the lines above'],
  ['a row that is gone', () => sealed(LINES.toSpliced(5, 1)), 'in line 9: expected 8 rows, got 7'],
  ['a row too many', () => sealed(changed(0, '"rows":8', '"rows":7')), 'in line 10: expected 7 rows, got 8'],
  ['a line of a store in use', () => sealed(changed(8, /\}$/, ',"more":true}')), 'in line 9: expected no "more" in an export'],
  [
    'a change',
    () => sealed(LINES.toSpliced(9, 0, '{"gone_passkey":1}')),
    'in line 10: expected an owner, removed_owner, passkey, access or end, got gone_passkey',
  ],
  ['passkeys out of order', () => sealed(swapped(4, 5)), 'in line 6: expected an id above 2, got 1'],
  ['kinds out of order', () => sealed(swapped(6, 7)), 'in line 8: expected no passkey after the first access'],
  ...(
    [
      ['an id twice', 5, '"id":2', '"id":1', '6: expected an id above 1, got 1'],
      ['an id above the next', 6, '"id":3', '"id":4', '7: expected an id below next_passkey_id, 4, got 4'],
      ['a user twice', 2, '"id":2', '"id":1', '3: user User:1 appears twice'],
      ['a removed user who is there', 3, '"type":"Admin","id":7', '"type":"User","id":2', '4: user User:2 appears twice'],
      ['an e-mail twice', 2, 'bob@', 'ADA@', '3: user User:2 has the e-mail of one above'],
      ['a user handle twice', 2, '"user_handle":null', '"user_handle":"AQI"', '3: user User:2 has the user handle of one above'],
      [
        'a credential ID twice',
        5,
        CREDENTIAL_ID,
        CREDENTIAL_ID.exec(LINES[4] ?? '')?.[0] ?? '',
        '6: passkey 2 has the credential ID of one',
      ],
      ['a row that lacks a member', 4, '"label"', '"lable"', '5: /passkey/label is missing'],
      ['a member that nobody knows', 4, '{"id"', '{"colour":"red","id"', '5: /passkey/colour is a member that this version does not know'],
      ['bytes that are none', 4, '"challenge":"', '"challenge":"!', '5: /passkey/challenge has to match the pattern'],
      ['a time that is none', 4, '"created_at":"2026-01-15', '"created_at":"2026-13-15', '5: /passkey/created_at is not a time'],
      ['a text that is no e-mail', 1, 'ada@example.com', 'ada', '2: /owner/email is refused: The e-mail must have the form'],
      ['an e-mail with U+0000', 1, 'ada@', 'a\\u0000@', '2: /owner/email is refused'],
      ['an e-mail with an escape sequence', 1, 'ada@', 'a\\u001b[31m@', '2: /owner/email is refused'],
      ['an e-mail with half of a surrogate pair', 1, 'ada@', 'a\\ud800@', '2: /owner/email is refused'],
      ['a name with U+0000', 1, '"name":"', '"name":"\\u0000', '2: /owner/name is refused: The name must have neither'],
      ['a type with half of a surrogate pair', 1, '"type":"User', '"type":"U\\udc00', '2: /owner/type is refused'],
      ['a type of 41 bytes', 1, '"type":"User', `"type":"${'x'.repeat(41)}`, '2: /owner/type is refused: The owner type must have 1 to 40'],
      ['an id after which there are few', 1, '"id":1', '"id":9007199253740992', '2: /owner/id is refused: The id must be'],
      ['a time of the year 0', 1, '"created_at":"2026', '"created_at":"0000', '2: /owner/created_at is not of the years'],
      ['a time of the year 12000', 1, '"created_at":"2026', '"created_at":"+012000', '2: /owner/created_at is not of the years'],
      ['such an id of a removed user', 3, '"id":7', '"id":9007199253740992', '4: /removed_owner/id is refused'],
      ['such an id of whom a passkey is', 6, '"owner_id":7', '"owner_id":9007199253740992', '7: /passkey/owner_id is refused'],
      ['a label with U+0000', 4, '"label":"', '"label":"\\u0000', '5: /passkey/label is refused: a text must have neither'],
      ['a label with half of a surrogate pair', 4, '"label":"', '"label":"\\ud800', '5: /passkey/label is refused'],
      ['U+0000 in what an extension has answered', 4, '[3,null,"x"]', '[3,null,"\\u0000"]', '5: /passkey/client_extension_results is'],
      ['a label of a token with U+0000', 8, '"label":"CI', '"label":"\\u0000', '9: /access/label is refused'],
      [
        'a next passkey id after which there are few',
        0,
        '"next_passkey_id":4',
        '"next_passkey_id":9007199253740992',
        '1: /next_passkey_id must be at most',
      ],
      [
        'a next access id after which there are few',
        0,
        '"next_access_id":3',
        '"next_access_id":9007199253740992',
        '1: /next_access_id must be at most',
      ],
    ] as const
  ).map(([name, index, from, to, says]): (typeof DAMAGED)[number] => [name, () => sealed(changed(index, from, to)), `in line ${says}`]),
  [
    'JSON that is too deep',
    () => sealed(changed(4, /"client_extension_results":\{/, `"client_extension_results":{"x":${deep},`)),
    'in line 5: /passkey/client_extension_results is nested more than 100 levels deep',
  ],
];

describe('an export that is damaged', () => {
  test.each(DAMAGED)('with %s is refused, and nothing is changed', async (_, lines, says) => {
    const store = createMemoryStore();
    await store.insertPasskey(newPasskey());
    const before = await allOf(store);
    const error = importInto(store, lines(), { name: 'x.jsonl' });
    await expect(error).rejects.toMatchObject({ code: 'store_damaged', exitCode: 3, message: expect.stringContaining(says) });
    await expect(error).rejects.toMatchObject({
      message: expect.stringMatching(/^Expected x\.jsonl to be a whole export; .*Nothing was changed\./),
    });
    expect(await allOf(store)).toStrictEqual(before);
  });

  test('or of a later version is store_unavailable', async () => {
    await expect(importInto(createMemoryStore(), changed(0, '"passkey_store":1', '"passkey_store":2'))).rejects.toMatchObject({
      code: 'store_unavailable',
      message: 'Expected version 1 of the format in the export; got 2. A newer passkey wrote it: use that version.',
    });
  });

  test('by a change between the two reads is not imported to the end', async () => {
    let reads = 0;
    const lines = async function* () {
      reads += 1;
      yield* reads === 1 ? LINES : changed(4, '"sign_count":5', '"sign_count":6');
    };
    await expect(importLines(createMemoryStore(), lines)).rejects.toMatchObject({
      message: expect.stringContaining('It was changed while it was read, and a part of it was imported.'),
    });
  });
});

test('rows of users whom the export does not describe come along, but never to a user of the store', async () => {
  const strange = createMemoryStore();
  await strange.insertPasskey(newPasskey({ owner: { type: 'User', id: 5 } }));
  const lines = await linesOf(strange);
  expect(await importInto(createMemoryStore(), lines)).toMatchObject({ status: 'done', withoutOwner: 1 });
  const store = createMemoryStore();
  await store.insertOwner({ type: 'User', id: 5, email: 'x@example.com', name: 'X', createdAt: 0 });
  expect(await importInto(store, lines)).toMatchObject({
    conflicts: ['passkey 1 is that of a user User:5 who is not described, and the store has another User:5'],
  });
  expect(await importInto(store, lines, { merge: true })).toMatchObject({
    conflicts: ['passkey 1 is that of a user User:5 who is not described'],
  });
});

describe('the lines of a file', () => {
  const linesIn = async (chunks: readonly (string | Uint8Array)[]) => {
    const found: string[] = [];
    const bytes = async function* () {
      for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    };
    for await (const line of splitLines(bytes())) found.push(line);
    return found;
  };

  test.each<[name: string, chunks: readonly string[], lines: readonly string[]]>([
    ['are split wherever the chunks end', ['{"a"', ':1}\n', '{}\n{', '}\n'], ['{"a":1}', '{}', '{}']],
    ['may end as Windows ends them', ['{}\r\n{}\r', '\n'], ['{}', '{}']],
    ['may begin with the mark of Windows', ['\uFEFF{}\r\n{}\n'], ['{}', '{}']],
    ['may lack the last line feed', ['{}\n{"b":2}'], ['{}', '{"b":2}']],
    ['may be none', [], []],
  ])('%s', async (_, chunks, lines) => {
    expect(await linesIn(chunks)).toEqual(lines);
  });

  test('are refused where they are cut off, no UTF-8, or endless', async () => {
    await expect(linesIn(['{}\n{"a":'])).rejects.toMatchObject({ place: '2', message: 'the line is cut off' });
    await expect(linesIn(['{}\n', new Uint8Array([0xff, 0x0a])])).rejects.toMatchObject({ place: '2', message: 'expected UTF-8' });
    await expect(linesIn([Buffer.from('\uFEFF{}\r\n', 'utf16le')])).rejects.toMatchObject({
      place: '1',
      message: expect.stringMatching(/^expected UTF-8, got UTF-16, .*--out/),
    });
    const endless = Array.from({ length: 17 }, () => 'x'.repeat(1024 * 1024));
    await expect(linesIn(endless)).rejects.toMatchObject({ place: '1', message: 'the line has more than 16777216 bytes' });
  });
});
