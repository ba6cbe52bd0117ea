import { describe, expect, onTestFinished, test } from 'vitest';
import type { EndedCeremony } from '../../src/browse/ceremony.js';
import { DevTools } from '../../src/browse/devtools.js';
import { followBrowser } from '../../src/browse/follow.js';
import { encodeUtf8 } from '../../src/kernel/bytes.js';
import type { JsonObject } from '../../src/kernel/json-value.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import { tempFolder } from '../cli/temp-folder.js';

const NOW = Date.UTC(2026, 10, 28);
const ORIGIN = 'http://localhost:5574';

/** A browser that answers every command, and sends what it is told to. */
function connectBrowser() {
  let send: (text: string) => void = () => {};
  let drop: () => void = () => {};
  const devtools = new DevTools(({ receive, closed }) => {
    [send, drop] = [receive, closed];
    return { send: (text) => receive(JSON.stringify({ id: JSON.parse(text).id, result: {} })), close() {} };
  });
  return {
    devtools,
    send: (message: unknown) => send(typeof message === 'string' ? message : JSON.stringify(message)),
    drop: () => drop(),
  };
}

async function watch() {
  const { devtools, send, drop } = connectBrowser();
  const ended: EndedCeremony[] = [];
  const unjudged: unknown[] = [];
  const leave = await followBrowser(devtools, await tempFolder(), {
    answer: () => Promise.reject(new Error('not asked in this test')),
    watch: true,
    now: () => NOW,
    onEnded: (ceremony) => void ended.push(ceremony),
    onUnjudged: (_, cause) => void unjudged.push(cause),
  });
  onTestFinished(leave);
  return { devtools, send, drop, ended, unjudged, leave };
}

const AUTHENTICATOR_DATA = 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAA';

function assertion(clientData: JsonObject): string {
  const clientDataJSON = encodeBase64url(encodeUtf8(JSON.stringify(clientData)));
  const response = { clientDataJSON, authenticatorData: AUTHENTICATOR_DATA, signature: 'AAAA' };
  return JSON.stringify({ id: 'AAAA', rawId: 'AAAA', type: 'public-key', response });
}

/** What was sent is read, and then judged. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const CLIENT_DATA = { type: 'webauthn.get', challenge: 'AAAAAAAAAAAAAAAAAAAAAA', origin: ORIGIN, crossOrigin: false };

function request(changes: JsonObject = {}, postData = assertion(CLIENT_DATA)): JsonObject[] {
  const sent = { method: 'POST', url: `${ORIGIN}/login`, hasPostData: true, postData, headers: { Origin: ORIGIN } };
  const params = { requestId: '7', request: sent, wallTime: NOW / 1000, documentURL: `${ORIGIN}/`, ...changes };
  return [
    { method: 'Network.requestWillBeSent', params, sessionId: 'page' },
    {
      method: 'Network.responseReceived',
      params: { requestId: '7', response: { status: 200, mimeType: 'application/json' } },
      sessionId: 'page',
    },
    { method: 'Network.loadingFailed', params: { requestId: '7' }, sessionId: 'page' },
  ];
}

describe('what a page or a browser says is input', () => {
  test.each<[string, JsonObject[]]>([
    ['as it should be', request()],
    ['no time', request({ wallTime: undefined })],
    ['a time that is none', request({ wallTime: null })],
    ['a time beyond all dates', request({ wallTime: 1e300 })],
    ['a document that has no URL', request({ documentURL: undefined })],
    [
      'an opaque origin',
      request({
        request: { method: 'POST', url: `${ORIGIN}/x`, hasPostData: true, postData: assertion(CLIENT_DATA), headers: { Origin: 'null' } },
      }),
    ],
    ['a URL that is none', request({ request: { method: 'POST', url: 'http://[', hasPostData: true, postData: assertion(CLIENT_DATA) } })],
    ['an empty challenge', request({}, assertion({ ...CLIENT_DATA, challenge: '' }))],
    ['a challenge that is no base64', request({}, assertion({ ...CLIENT_DATA, challenge: '%%%' }))],
    ['a challenge that is no text', request({}, assertion({ ...CLIENT_DATA, challenge: { a: 1 } }))],
    ['an origin that is none', request({}, assertion({ ...CLIENT_DATA, origin: 'nonsense' }))],
    ['a top origin that is none', request({}, assertion({ ...CLIENT_DATA, crossOrigin: true, topOrigin: 'nonsense' }))],
  ])('%s: a ceremony is explained', async (_, events) => {
    const { devtools, send, ended, unjudged, leave } = await watch();
    for (const event of events) send(event);
    await settled();
    await leave();
    expect([devtools.failure, unjudged]).toEqual([undefined, []]);
    expect(ended).toMatchObject([{ kind: 'authentication', response: { id: 'AAAA' } }]);
  });

  test.each<[string, unknown]>([
    ['an event without parameters', { method: 'Network.requestWillBeSent', sessionId: 'page' }],
    ['parameters that are no object', { method: 'Network.responseReceived', params: 7, sessionId: 'page' }],
    ['a request that nobody began', { method: 'Network.loadingFinished', params: { requestId: '9' }, sessionId: 'page' }],
    ['an answer to no command', { id: 999, result: {} }],
    ['an answer with an id that is no number', { id: 'x', error: 7 }],
    ['a target without a type', { method: 'Target.attachedToTarget', params: { sessionId: 's' } }],
  ])('%s changes nothing', async (_, message) => {
    const { devtools, send, ended, unjudged } = await watch();
    send(message);
    for (const event of request()) send(event);
    await settled();
    expect([devtools.failure, unjudged, ended.length]).toEqual([undefined, [], 1]);
  });

  test.each(['not json', '7', '[]', 'null'])('a message that is %s ends the session with a sentence', async (text) => {
    const { devtools, send } = await watch();
    send(text);
    await devtools.over;
    const message = `Expected messages of the DevTools protocol from the browser; got ${JSON.stringify(text)}.`;
    expect(devtools.failure).toMatchObject({ code: 'target_unreachable', message });
    await expect(devtools.send('Browser.getVersion')).rejects.toMatchObject({ message });
  });

  test('a command that the browser refuses is refused, and one that waits for a browser that goes', async () => {
    let fail: (error: JsonObject) => void = () => {};
    const devtools = new DevTools(({ receive }) => ({
      send(text) {
        const { id } = JSON.parse(text);
        fail = (error) => receive(JSON.stringify({ id, error }));
      },
      close() {},
    }));
    const refused = devtools.send('Target.createTarget');
    fail({ message: 'No such target' });
    await expect(refused).rejects.toMatchObject({ message: 'The browser refused a command: No such target.' });
    const { devtools: other, drop } = connectBrowser();
    drop();
    await expect(other.send('Browser.getVersion')).rejects.toMatchObject({
      message: 'The browser has ended, or has closed the connection.',
    });
  });
});

test('of a URL, user, password, fragment and the values of the query are left out', async () => {
  const { send, ended, leave } = await watch();
  const url = 'http://ada:pass@localhost:5574/login?token=secret&next=%2Fhome&token=hidden#part';
  const sent = { method: 'POST', url, hasPostData: true, postData: assertion(CLIENT_DATA) };
  for (const event of request({ request: sent })) send(event);
  await settled();
  await leave();
  expect(ended[0]?.exchange?.url).toBe('http://localhost:5574/login?token=&next=&token=');
  expect(JSON.stringify(ended)).not.toMatch(/secret|hidden|pass@|%2Fhome|#part/);
});
