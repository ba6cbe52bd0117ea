import { expect, test } from 'vitest';
import { decodeBase64url, encodeBase64 } from '../../../src/webauthn/base64url.js';
import { recordAnswer } from '../../explain/server-answers.js';
import { explain } from './run-explain.js';

interface Entry {
  startedDateTime: string;
  readonly request: { headers: { readonly name: string; readonly value: string }[]; readonly postData?: { text: string } };
  readonly response: { headers: unknown[]; readonly content: { readonly text: string } };
}

/** A recording of a login that was refused with this body, changed. */
async function refused(status: number, error: string, change: (entries: readonly Entry[]) => void = () => undefined) {
  const archive = JSON.parse(recordAnswer({ status, body: JSON.stringify({ error }) }));
  change(archive.log.entries);
  const { code, stdout } = await explain(['a.har'], { 'a.har': JSON.stringify(archive) });
  const { userHandle } = JSON.parse(archive.log.entries.at(-1).request.postData.text).response;
  const { id } = JSON.parse(archive.log.entries.at(-1).request.postData.text);
  return {
    code,
    first: stdout.slice(0, stdout.search(/\n(?:\n|\S)/)),
    text: stdout.replaceAll(/\s+/g, ' '),
    whole: stdout,
    userHandle,
    id,
  };
}

test.each([
  ['User not found', 'user handle'],
  ['no such account', 'user handle'],
  ['Passkey not found', 'credential ID'],
  ['Unknown credential', 'credential ID'],
])('a login that is good is refused with “%s”: the look-up by %s fails', async (error, by) => {
  const { code, text, userHandle, id } = await refused(404, error);
  const shown = decodeBase64url(by === 'user handle' ? userHandle : id);
  expect(code).toBe(1);
  expect(text).toContain(`Refused by your server (404): your response is good; your look-up by ${by} fails`);
  const compact = text.replaceAll(' ', '');
  for (const encoding of ['base64url', 'base64', 'hex'] as const) expect(compact).toContain(Buffer.from(shown).toString(encoding));
});

test('a user handle that is not that of the registration is no matter of the look-up', async () => {
  const { text } = await refused(404, 'User not found', (entries) => {
    const login = entries.at(-1)?.request.postData;
    if (login === undefined) throw new TypeError('Expected a login.');
    const sent = JSON.parse(login.text);
    sent.response.userHandle = 'b3RoZXI';
    login.text = JSON.stringify(sent);
  });
  expect(text).not.toContain('your response is good');
});

test('a server that wants base64 is given base64url, as the standard has it', async () => {
  const { text } = await refused(400, 'id is not valid base64');
  expect(text).toContain(
    'Refused by your server (400): your server expects base64, but the response has base64url: id, rawId, clientDataJSON, authenticatorData, signature',
  );
});

test('a server that wants base64url is given a member in base64', async () => {
  const { text } = await refused(400, 'Signature must be base64url', (entries) => {
    const login = entries.at(-1)?.request.postData;
    if (login === undefined) throw new TypeError('Expected a login.');
    const sent = JSON.parse(login.text);
    sent.response.signature = `${encodeBase64(decodeBase64url(sent.response.signature).subarray(0, 70))}`.replace(/^../, '+/');
    login.text = JSON.stringify(sent);
  });
  expect(text).toContain(
    'your server expects base64url, but the response has base64url: id, rawId, clientDataJSON, authenticatorData, userHandle; base64: signature',
  );
});

test('a challenge that has expired: the seconds between options and response', async () => {
  const { text } = await refused(400, 'Challenge expired', (entries) => {
    const login = entries.at(-1);
    if (login !== undefined) login.startedDateTime = new Date(Date.UTC(2026, 0, 15, 10, 36, 40)).toISOString();
  });
  expect(text).toMatch(/the challenge has expired: 39\d seconds lie between options and response/);
});

test('a challenge that is lost in a HAR without cookies: record it with them', async () => {
  const { text } = await refused(400, 'No challenge found in session', (entries) => {
    for (const { request, response } of entries) {
      request.headers = request.headers.filter(({ name }) => name !== 'Cookie');
      response.headers = [];
    }
  });
  expect(text).toContain('this HAR has no cookies: record it with “Export HAR (with sensitive data)”');
});
