import { concatBytes, encodeUtf8 } from '../../../kernel/bytes.js';
import { encodeBase64url } from '../../../webauthn/base64url.js';
import { inOrder } from '../../engine/authenticator-data-edits.js';
import { type Case, listRows, type Rows } from '../../engine/case.js';
import { both } from '../../engine/ceremony-cases.js';
import { putFirst, readMembers, setClientData } from '../../engine/client-data-edits.js';
import { type ByteEdit, type CommonEdits, type TextEdit } from '../../engine/edits.js';

interface TextRow {
  readonly title: string;
  readonly edits: Pick<CommonEdits, 'clientData' | 'clientDataBytes'>;
  readonly why: string;
}

const NEVER_500 =
  'Anyone can send this. A server that cannot handle it answers with a 5xx, fills its log and may crash. Catch the parser’s errors, check that it returns an object, and refuse the response otherwise.';
const ONE_TEXT =
  'You must read exactly the text that was signed. Parse all of it, refuse anything that is left over, and do not repair it first.';

/** Nesting depth that overflows the stack of a recursive parser. */
const DEPTH = 5_000;

const byteOrderMark: ByteEdit = (bytes) => concatBytes(Uint8Array.of(0xef, 0xbb, 0xbf), bytes);

const MALFORMED: Rows<TextRow> = {
  'client-data-cut': { title: 'client data that is not JSON', edits: { clientData: (text) => text.slice(0, -1) }, why: NEVER_500 },
  'client-data-array': { title: 'an array that holds the client data', edits: { clientData: (text) => `[${text}]` }, why: NEVER_500 },
  'client-data-as-text': {
    title: 'the client data in a JSON string',
    edits: { clientData: (text) => JSON.stringify(text) },
    why: ONE_TEXT,
  },
  'client-data-null': { title: 'null as client data', edits: { clientData: () => 'null' }, why: NEVER_500 },
  'client-data-number': { title: 'a number as client data', edits: { clientData: () => '7' }, why: NEVER_500 },
  'client-data-trailing': { title: 'a character after the client data', edits: { clientData: (text) => `${text}x` }, why: ONE_TEXT },
  'client-data-doubled': {
    title: 'the client data twice, one after the other',
    edits: { clientData: (text) => text + text },
    why: ONE_TEXT,
  },
  'client-data-deep': {
    title: `${DEPTH.toLocaleString('en')} arrays that open and never close`,
    edits: { clientData: (text) => `${text.slice(0, -1)},"extraData":${'['.repeat(DEPTH)}` },
    why: NEVER_500,
  },
  'client-data-relaxed': {
    title: 'client data with a comment, and a comma after the last member',
    edits: { clientData: (text) => `/* */${text.slice(0, -1)},}` },
    why: 'No client writes this. Parsers of JavaScript, YAML or JSON5 accept more than JSON: they may build objects or run code, and read different members than another parser. Use a strict JSON parser.',
  },
  'client-data-bom-twice': {
    title: 'two byte order marks before the client data',
    edits: { clientDataBytes: inOrder(byteOrderMark, byteOrderMark) },
    why: 'The standard’s "UTF-8 decode" drops one byte order mark (§7.1 step 5, §7.2 step 8), and text that begins with a second one is not JSON. A server that trims the text does not read what was signed.',
  },
  'client-data-utf-16': {
    title: 'the client data in UTF-16',
    edits: { clientDataBytes: (bytes) => Uint8Array.from([...bytes].flatMap((byte) => [byte, 0])) },
    why: 'Client data are UTF-8 (§5.8.1.1). A server that guesses the encoding may read a different text than the one that was checked. Decode only as UTF-8.',
  },
  'client-data-encoded-twice': {
    title: 'the client data, encoded in base64url twice',
    edits: { clientDataBytes: (bytes) => encodeUtf8(encodeBase64url(bytes)) },
    why: 'Only a page with its own encoding code sends this. A server that accepts it does not hash the text that was signed, or guesses. Decode once.',
  },
  'client-data-proto': {
    title: 'all members inside a member called __proto__',
    edits: { clientData: (text) => `{"__proto__":${text}}` },
    why: 'In JavaScript, copying this object makes the members of __proto__ visible on the copy, and sometimes on other objects too. Read only own members of the parsed object, and never merge it into another object.',
  },
};

const TEMPLATE =
  'Some clients write this today, and more will later. A server that compares the text with a template, or parses it by hand, locks them out. Use a JSON parser, and read only the members that you know (§5.8.1).';
const AS_SENT =
  'The signature covers the bytes as they were sent. A server that serializes the parsed object again and hashes that refuses this. Hash the bytes of clientDataJSON.';

const written =
  (edit: (client: ReturnType<typeof readMembers>) => string): TextEdit =>
  (text) =>
    edit(readMembers(text));

/** Writes letters of a JSON text as `\u` escapes. */
const escaped: TextEdit = (text) =>
  text.replace(/(?<=["A-Za-z0-9])[A-Za-z]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

const CONFORMING: Rows<TextRow> = {
  'client-data-white-space': {
    title: 'client data with line breaks and indentation',
    edits: { clientData: written((client) => `\r\n${JSON.stringify(client, undefined, '\t')} \n`) },
    why: AS_SENT,
  },
  'client-data-reordered': {
    title: 'client data with its members in reverse order',
    edits: { clientData: written((client) => JSON.stringify(Object.fromEntries(Object.entries(client).toReversed()))) },
    why: TEMPLATE,
  },
  'client-data-escaped': {
    title: 'client data with letters written as JSON escapes',
    edits: { clientData: written((client) => escaped(JSON.stringify({ ...client, crossOrigin: undefined }))) },
    why: AS_SENT,
  },
  'client-data-further-members': {
    title: 'client data with unknown members of every JSON type',
    edits: {
      clientData: putFirst(() => ({ flag: true, list: [1, [2, {}]], nothing: null, object: { type: 'other' }, text: 'x', '': '' })),
    },
    why: TEMPLATE,
  },
  'client-data-template-warning': {
    title: 'the member with which Chrome warns of comparing with a template',
    edits: {
      clientData: setClientData({
        other_keys_can_be_added_here: 'do not compare clientDataJSON against a template. See https://goo.gl/yabPex',
      }),
    },
    why: 'Chrome adds this member now and then to expose servers that compare the text with a template. Use a JSON parser, and read only the members that you know.',
  },
  'client-data-android-package': {
    title: 'client data with the package name of an Android browser',
    edits: { clientData: setClientData({ androidPackageName: 'com.android.chrome' }) },
    why: 'Android adds this member to the client data of its browsers, and their users would be locked out. Read only the members that you know.',
  },
  'client-data-token-binding': {
    title: 'client data with tokenBinding, as clients of Level 1 and 2 write it',
    edits: { clientData: setClientData({ tokenBinding: { status: 'supported' } }) },
    why: 'Level 3 reserves this member but does not check it, and older clients send it. Ignore it.',
  },
  'client-data-numbers': {
    title: 'client data with numbers of every spelling in a further member',
    edits: { clientData: (text) => `{"extraData":[0,-0,1.50,1e3,9007199254740993,0.1E-5],${text.slice(1)}` },
    why: AS_SENT,
  },
  'client-data-non-latin': {
    title: 'client data with characters of many scripts in a further member',
    edits: { clientData: (text) => `{"extraData":"Ж 日本 \u2028 🔑 \\ud83d\\udd11 \\/",${text.slice(1)}` },
    why: AS_SENT,
  },
  'client-data-odd-names': {
    title: 'further members with names that mean something to a programming language',
    edits: { clientData: (text) => `{"constructor":1,"__proto__":{"x":1},"toString":null,"__class__":"x","$where":"x",${text.slice(1)}` },
    why: 'A server must ignore unknown members, whatever their names. These names can crash a careless one. Read only the members that you know.',
  },
  'client-data-long': {
    title: 'client data of more than 4,096 bytes',
    edits: { clientData: setClientData({ extraData: 'x'.repeat(4096) }) },
    why: 'The standard sets no limit, and members may be added. A column or buffer that is too short truncates the text, and the hash is wrong. Leave room for some kilobytes.',
  },
  'client-data-bom': {
    title: 'a byte order mark before the client data',
    edits: { clientDataBytes: byteOrderMark },
    why: 'The standard says to decode with "UTF-8 decode", which drops a byte order mark (§7.1 step 5, §7.2 step 8). Drop it before parsing, and hash the bytes as they were sent.',
  },
};

/** Cases about client data as UTF-8 and JSON (§7.1 steps 5 and 6, §7.2 steps 8 and 9). */
export const TEXTS: readonly Case[] = [
  ...listRows(MALFORMED).flatMap((row) => both({ ...row, code: 'client_data_malformed', step: 'client-data' })),
  ...both({
    what: 'client-data-empty',
    title: 'client data of no bytes',
    edits: { clientData: () => '' },
    why: NEVER_500,
    code: 'client_data_malformed',
    step: 'client-data-text',
  }),
  ...listRows(CONFORMING).flatMap(both),
];
