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
  'Anybody can send such a text. A server that falls over it answers with a 5xx, fills its log and may be brought down. Catch what the parser throws, check that it gives an object, and answer with a refusal.';
const ONE_TEXT =
  'What was signed and what was read must be one and the same text. Parse all of it, and refuse what is left over; do not mend it first.';

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
    why: 'No client writes it, and readers of JavaScript, YAML or JSON5 take more than JSON: they may build objects or run code, and read other members than the next reader. Parse JSON and nothing else.',
  },
  'client-data-bom-twice': {
    title: 'two byte order marks before the client data',
    edits: { clientDataBytes: inOrder(byteOrderMark, byteOrderMark) },
    why: 'UTF-8 decode drops one byte order mark (§7.1 step 5, §7.2 step 8), and a text that begins with another is no JSON. A server that trims the text reads another one than was signed.',
  },
  'client-data-utf-16': {
    title: 'the client data in UTF-16',
    edits: { clientDataBytes: (bytes) => Uint8Array.from([...bytes].flatMap((byte) => [byte, 0])) },
    why: 'Client data is UTF-8 (§5.8.1.1). A server that guesses the encoding reads another text than the one that was checked. Decode as UTF-8 and nothing else.',
  },
  'client-data-encoded-twice': {
    title: 'the client data, encoded in base64url twice',
    edits: { clientDataBytes: (bytes) => encodeUtf8(encodeBase64url(bytes)) },
    why: 'Only a page that encodes on its own sends this. A server that takes it hashes another text than the one that was signed, or guesses. Decode once.',
  },
  'client-data-proto': {
    title: 'all members within one that is called __proto__',
    edits: { clientData: (text) => `{"__proto__":${text}}` },
    why: 'In JavaScript, copying this object turns the members of __proto__ into its own, and into those of other objects too. Read own members of what the parser gave, and never merge it into another object.',
  },
};

const TEMPLATE =
  'Later clients will write this, and today some do. A server that compares the text with a template, or takes it apart by hand, locks them out. Use a JSON parser, and look only at the members that you know (§5.8.1).';
const AS_SENT =
  'The signature is over the bytes as they were sent. A server that writes the parsed object again, and hashes that, refuses this. Hash the bytes of clientDataJSON.';

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
    title: 'client data with members of every kind that no standard knows',
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
    why: 'Chrome adds this member now and then, so that such servers are found before their users are locked out. Use a JSON parser, and look only at the members that you know.',
  },
  'client-data-android-package': {
    title: 'client data with the package name of an Android browser',
    edits: { clientData: setClientData({ androidPackageName: 'com.android.chrome' }) },
    why: 'Android adds this member to what its browsers send, and their users would be locked out. Look only at the members that you know.',
  },
  'client-data-token-binding': {
    title: 'client data with tokenBinding, as clients of Level 1 and 2 write it',
    edits: { clientData: setClientData({ tokenBinding: { status: 'supported' } }) },
    why: 'Level 3 reserves the member and checks nothing about it; older clients send it. Ignore it.',
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
    why: 'Members that a server does not know must be ignored, whatever they are called; one that trips over these can be brought down. Read only the members that you know.',
  },
  'client-data-long': {
    title: 'client data of more than 4,096 bytes',
    edits: { clientData: setClientData({ extraData: 'x'.repeat(4096) }) },
    why: 'The standard sets no limit, and members may be added. A column or buffer that is too short cuts the text, and the hash is wrong. Leave room for some kilobytes.',
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
