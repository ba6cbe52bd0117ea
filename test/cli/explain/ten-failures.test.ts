import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { EndedCeremony } from '../../../src/browse/ceremony.js';
import type { Exchange } from '../../../src/browse/network.js';
import { Session } from '../../../src/browse/session.js';
import { decodeBase64url, encodeBase64 } from '../../../src/webauthn/base64url.js';
import { MISTAKES, recordRefusedLogin } from '../../explain/refused-logins.js';
import { recordAnswer } from '../../explain/server-answers.js';
import { explain } from './run-explain.js';

/** What goes wrong in applications, each seen in a HAR, in a pasted text and by `browse`. */

interface Entry {
  startedDateTime: string;
  readonly request: { method: string; url: string; headers: { name: string; value: string }[]; postData?: { text: string } };
  readonly response: { status: number; headers: { name: string; value: string }[]; content: { text: string } };
}

type Change = (entries: Entry[]) => void;

const readEntries = (har: string): Entry[] => JSON.parse(har).log.entries;
const hash = (rpId: string) => createHash('sha256').update(rpId).digest('hex');

/** The entries of a login whose response is good, refused with a text. */
function refused(status: number, error: string, change: Change = () => undefined): Entry[] {
  const entries = readEntries(recordAnswer({ status, body: JSON.stringify({ error }) }));
  change(entries);
  return entries;
}

async function mistaken(name: keyof typeof MISTAKES): Promise<Entry[]> {
  return readEntries((await recordRefusedLogin(MISTAKES[name])).har);
}

function last(entries: readonly Entry[]): Entry {
  const entry = entries.at(-1);
  if (entry === undefined) throw new TypeError('Expected an entry.');
  return entry;
}

/** Changes the credential in the last request. */
const changing =
  (change: (credential: { id: string; rawId: string; response: Record<string, string> }) => void): Change =>
  (entries) => {
    const { request } = last(entries);
    const credential = JSON.parse(request.postData?.text ?? '');
    change(credential);
    request.postData = { text: JSON.stringify(credential) };
  };

/** Changes options in an answer. */
function withOptions(entry: Entry, change: object): Entry {
  return {
    ...entry,
    response: { ...entry.response, content: { text: JSON.stringify({ ...JSON.parse(entry.response.content.text), ...change }) } },
  };
}

/** A document that was loaded into a frame of another site. */
function frame(url: string): Entry {
  const headers = [
    { name: 'Sec-Fetch-Dest', value: 'iframe' },
    { name: 'Sec-Fetch-Site', value: 'cross-site' },
  ];
  const response = { status: 200, headers: [{ name: 'Content-Type', value: 'text/html' }], content: { text: '' } };
  return { startedDateTime: '2026-01-15T10:30:00.000Z', request: { method: 'GET', url, headers }, response };
}

const base64 = (text: string) => encodeBase64(decodeBase64url(text));
const toBase64 = changing((credential) => {
  credential.id = base64(credential.id);
  credential.rawId = base64(credential.rawId);
});
const withoutCookies: Change = (entries) => {
  for (const { request, response } of entries) {
    request.headers = request.headers.filter(({ name }) => name !== 'Cookie');
    response.headers = [];
  }
};
const tenMinutesLate: Change = (entries) => {
  const [before, login] = entries.slice(-2);
  if (before === undefined || login === undefined) throw new TypeError('Expected options and a login.');
  login.startedDateTime = new Date(Date.parse(before.startedDateTime) + 600_000).toISOString();
};
const stringifiedTwice: Change = (entries) => {
  const { request } = last(entries);
  request.postData = { text: JSON.stringify(request.postData?.text) };
};

const responseStringified: Change = (entries) => {
  const { request } = last(entries);
  const { response, ...credential } = JSON.parse(request.postData?.text ?? '');
  request.postData = { text: JSON.stringify({ ...credential, response: JSON.stringify(response) }) };
};

const [creation, register, request] = refused(400, '');
if (creation === undefined || register === undefined || request === undefined) throw new TypeError('Expected a registration and options.');
const OTHER_ID = 'b3RoZXItdXNlcnMtY3JlZGVudGlhbA';
const registered: string = JSON.parse(register.request.postData?.text ?? '').id;

interface Row {
  readonly entries: readonly Entry[];
  readonly har: string;
  /** Of the response with the error, pasted; default: that of the HAR without the status. Null: it is not pasted like this. */
  readonly text?: string | null;
  /** Default: that of the HAR. Null: browse sees no call. */
  readonly browse?: string | null;
}

const ROWS: Readonly<Record<string, Row>> = {
  '1, another origin': {
    entries: await mistaken('wrong expected origin'),
    har: 'Refused by your server (400): wrong origin; expected http://localhost:3000, received http://localhost:5199',
  },
  '2, another RP ID that the text names': {
    entries: refused(400, 'RP ID mismatch: expected "shop.example", got "localhost"'),
    har: 'Refused by your server (400): wrong RP ID; expected shop.example, received localhost, as your options ask',
  },
  '2, another RP ID whose hash the text has': {
    entries: refused(400, `RP Hash mismatch. Expected ${hash('www.localhost')} and Received ${hash('localhost')}`),
    har: 'Refused by your server (400): wrong RP ID; expected www.localhost, received localhost, as your options ask',
  },
  '3, the cookie was not sent': {
    entries: await mistaken('cookie not sent'),
    har: 'Refused by your server (400): the session cookie was not sent',
    text: 'Refused by your server: the server has no challenge for this response',
  },
  '3, no cookies': {
    entries: refused(400, 'No challenge found in session', withoutCookies),
    har: 'Refused by your server (400): the session lost its challenge, and this HAR has no cookies: record it with “Export HAR (with sensitive data)”',
    text: 'Refused by your server: the server has no challenge for this response',
    browse: 'Refused by your server (400): the session lost its challenge: no cookie was sent',
  },
  '4, base64 where base64url is wanted': {
    entries: refused(400, 'Credential ID was not base64url-encoded', toBase64),
    har: 'Refused by your server (400): your server expects base64url, but the response has base64: id, rawId; base64url: clientDataJSON, authenticatorData, signature, userHandle',
  },
  '4, base64url where base64 is wanted': {
    entries: refused(400, 'signature: got base64url, expected base64'),
    har: 'Refused by your server (400): your server expects base64, but the response has base64url: id, rawId, clientDataJSON, authenticatorData, signature, userHandle',
  },
  '5, the user handle is not found': {
    entries: refused(404, 'User not found'),
    har: 'Refused by your server (404): your response is good; your look-up by user handle fails',
    text: 'Refused by your server: the server does not find the user',
  },
  '6, the passkey is not found': {
    entries: refused(404, 'Passkey not found'),
    har: 'Refused by your server (404): your response is good; your look-up by credential ID fails',
    text: 'Refused by your server: the server does not know this credential',
  },
  '7, user verification': {
    entries: await mistaken('UV required'),
    har: 'Refused by your server (400): user verification is required; received UV is not set',
  },
  '8, the counter': {
    entries: refused(400, 'Response counter value 1 was lower than expected 7'),
    har: 'Refused by your server (400): the counter has not grown; expected more than 7, received 0',
  },
  '9, IDs of another user': {
    entries: [creation, register, withOptions(request, { allowCredentials: [{ type: 'public-key', id: OTHER_ID }] })],
    har: 'No answer from the browser: none of the 1 allowed IDs is registered here',
  },
  '10, a registration sent to the login': {
    entries: refused(400, 'Unexpected authentication response type "webauthn.create", expected "webauthn.get"', (entries) => {
      const login = last(entries);
      login.request.postData = { text: register.request.postData?.text ?? '' };
    }),
    har: 'Refused by your server (400): response of the other ceremony; received webauthn.create',
  },
  'an expired challenge': {
    entries: refused(400, 'Challenge expired', tenMinutesLate),
    har: 'Refused by your server (400): the challenge has expired: 600 seconds lie between options and response',
    text: 'Refused by your server: the challenge has expired',
  },
  'a body stringified twice': {
    entries: refused(400, 'Missing credential ID', stringifiedTwice),
    har: 'Refused by your server (400): the body is JSON inside JSON: call JSON.stringify once',
  },
  'a response within the body stringified': {
    entries: refused(400, 'Missing credential ID', responseStringified),
    har: 'Refused by your server (400): the body is JSON inside JSON: call JSON.stringify once',
  },
  'options stringified twice': {
    entries: [
      creation,
      register,
      { ...request, response: { ...request.response, content: { text: JSON.stringify(request.response.content.text) } } },
    ],
    har: 'No answer from the browser: the options are JSON inside JSON',
    browse: null,
  },
  'an RP ID that is no parent of the host': {
    entries: [
      creation,
      register,
      withOptions(request, { rpId: 'example.com', allowCredentials: [{ type: 'public-key', id: registered }] }),
    ],
    har: 'No answer from the browser: the RP ID example.com is neither the host of the page (localhost) nor a parent of it',
  },
  'a passkey that is not discoverable, and an empty list': {
    entries: [withOptions(creation, { authenticatorSelection: { residentKey: 'discouraged' } }), register, request],
    har: 'No answer from the browser: allowCredentials is empty and the passkey is not discoverable',
  },
  'a frame without permission': {
    entries: [frame('http://localhost:3000/embed'), withOptions(request, { allowCredentials: [{ type: 'public-key', id: OTHER_ID }] })],
    har: 'No answer from the browser: the page was in a frame without permission',
    // The browser refuses the call before it reaches any authenticator, and tells only the page.
    browse: null,
  },
  'an excluded passkey': {
    entries: [
      creation,
      register,
      withOptions(creation, { challenge: 'bmV3LWNoYWxsZW5nZS0wMDAx', excludeCredentials: [{ type: 'public-key', id: registered }] }),
    ],
    har: 'No answer from the browser: this authenticator already has a passkey of excludeCredentials',
  },
};

/** The first line that `explain` prints of the last ceremony: the worst is the last. */
async function explainFirst(text: string): Promise<string> {
  const { code, stdout } = await explain(['in.txt'], { 'in.txt': text });
  expect(code).toBe(1);
  return stdout.split('\n')[0] ?? '';
}

const isAnswered = (entries: readonly Entry[]) => last(entries).request.postData !== undefined;

test.each(Object.entries(ROWS))('%s: in a HAR', async (_, { entries, har }) => {
  expect(await explainFirst(JSON.stringify({ log: { entries } }))).toBe(har);
});

test.each(Object.entries(ROWS).filter(([, { entries, text }]) => text !== null && isAnswered(entries)))(
  '%s: in a pasted text',
  async (_, { entries, har, text }) => {
    const { request: sent, response } = last(entries);
    const said = text ?? har.replace(/ \(\d+\)/, '').replace(', as your options ask', '');
    for (const answer of [response.content.text, `Error: ${JSON.parse(response.content.text).error}\n    at login (server.js:4:2)`]) {
      expect(await explainFirst(`${sent.postData?.text}\n${answer}\n`)).toBe(said);
    }
  },
);

test.each(Object.entries(ROWS).filter(([, { browse }]) => browse !== null))('%s: by browse', async (_, { entries, har, browse }) => {
  const ended: EndedCeremony[] = [];
  const session = new Session({
    watch: true,
    now: () => Date.UTC(2026, 0, 15),
    onEnded: (ceremony) => void ended.push(ceremony),
    onUnjudged(_ceremony, cause) {
      throw cause;
    },
    answer: () => Promise.reject(new DOMException('No passkey fits.', 'NotAllowedError')),
  });
  for (const entry of entries) session.exchanged(readExchange(entry));
  if (!isAnswered(entries)) {
    const options = JSON.parse(last(entries).response.content.text);
    const override = { remoteDesktopClientOverride: { origin: 'http://localhost:3000', sameOriginWithAncestors: true } };
    const call = { call: 'user' in options ? 'create' : 'get', id: 1, options: { ...options, extensions: override } } as const;
    await session.called(call, new AbortController().signal);
  }
  await session.close();
  expect(ended.at(-1)?.explanation.headline).toBe(browse ?? har);
});

function readExchange({ startedDateTime, request: { method, url, headers, postData }, response }: Entry): Exchange {
  const has = (all: readonly { name: string }[], name: string) => all.some((one) => one.name === name);
  return {
    at: Date.parse(startedDateTime),
    method,
    url,
    origin: headers.find(({ name }) => name === 'Origin')?.value,
    sent: postData?.text,
    status: response.status,
    received: response.content.text,
    sendsCookie: has(headers, 'Cookie'),
    setsCookie: has(response.headers, 'Set-Cookie'),
  };
}
