import { describe, expect, test } from 'vitest';
import type { ExplainDocument } from '../../../src/explain/document-schema.js';
import { MISTAKES, recordRefusedLogin } from '../../explain/refused-logins.js';
import { explain } from './run-explain.js';

const recorded = JSON.parse((await recordRefusedLogin(MISTAKES['UV required'])).har).log.entries;
const [creation, register, request, login] = recorded;
const registeredId: string = JSON.parse(register.request.postData.text).id;
const OTHER_ID = 'b3RoZXItdXNlcnMtY3JlZGVudGlhbA';

/** A recorded exchange with other options. */
function withOptions(entry: typeof request, change: object, url = entry.request.url, headers: readonly object[] = entry.request.headers) {
  const text = JSON.stringify({ ...JSON.parse(entry.response.content.text), ...change });
  return { ...entry, request: { ...entry.request, url, headers }, response: { ...entry.response, content: { text } } };
}

const document = (url: string, { dest = 'document', site = 'none', policy = '', body = '' } = {}) => ({
  request: {
    method: 'GET',
    url,
    headers: [
      { name: 'Sec-Fetch-Dest', value: dest },
      { name: 'Sec-Fetch-Site', value: site },
    ],
  },
  response: {
    status: 200,
    headers: [{ name: 'Content-Type', value: 'text/html' }, ...(policy === '' ? [] : [{ name: 'Permissions-Policy', value: policy }])],
    content: { text: body },
  },
});

const allowing = (id: string, more: object = {}) => withOptions(request, { allowCredentials: [{ type: 'public-key', id, ...more }] });
const har = (...entries: readonly unknown[]) => JSON.stringify({ log: { entries } });
const PAGE = 'http://localhost:3000';

async function explainHar(text: string) {
  const [printed, asJson] = await Promise.all([explain(['a.har'], { 'a.har': text }), explain(['a.har', '--json'], { 'a.har': text })]);
  expect(printed.code).toBe(asJson.code);
  return {
    code: printed.code,
    first: printed.stdout.split('\n')[0],
    documents: asJson.stdout
      .trim()
      .split(/\n(?=\{)/)
      .map((document): ExplainDocument => JSON.parse(document)),
  };
}

describe('a call that got no response', () => {
  test.each<[string, string, string]>([
    ['IDs of another user', har(creation, register, allowing(OTHER_ID)), 'none of the 1 allowed IDs is registered here'],
    ['no registration recorded', har(allowing(OTHER_ID)), 'none of the 1 allowed IDs is registered here'],
    [
      'an ID encoded twice',
      har(creation, register, allowing(Buffer.from(registeredId).toString('base64url'))),
      'none of the 1 allowed IDs is registered here',
    ],
    [
      'an RP ID of another host',
      har(creation, register, withOptions(request, { rpId: 'example.com', allowCredentials: [{ type: 'public-key', id: OTHER_ID }] })),
      'the RP ID example.com is neither the host of the page (localhost) nor a parent of it',
    ],
    [
      'an RP ID of another host, at registration',
      har(withOptions(creation, { rp: { id: 'example.com', name: 'Shop' } })),
      'the RP ID example.com is neither the host of the page (localhost) nor a parent of it',
    ],
    [
      'an empty list and a passkey that is not discoverable',
      har(withOptions(creation, { authenticatorSelection: { residentKey: 'discouraged' } }), register, request),
      'allowCredentials is empty and the passkey is not discoverable',
    ],
    [
      'other transports',
      har(creation, register, allowing(registeredId, { transports: ['nfc'] })),
      'the allowed ID has transports that its passkey does not have',
    ],
    [
      'an excluded passkey',
      har(
        creation,
        register,
        withOptions(creation, { challenge: 'bmV3LWNoYWxsZW5nZS0wMDAx', excludeCredentials: [{ type: 'public-key', id: registeredId }] }),
      ),
      'this authenticator already has a passkey of excludeCredentials',
    ],
    [
      'a page that forbids it',
      har(document(`${PAGE}/`, { policy: 'publickey-credentials-get=()' }), allowing(OTHER_ID)),
      'the page forbids the call by its Permissions-Policy',
    ],
    [
      'a frame without permission',
      har(
        document('https://shop.example/', { body: `<iframe src="${PAGE}/embed"></iframe>` }),
        document(`${PAGE}/embed`, { dest: 'iframe', site: 'cross-site' }),
        withOptions(request, { rpId: 'example.com', allowCredentials: [{ type: 'public-key', id: OTHER_ID }] }),
      ),
      'the page was in a frame without permission',
    ],
    ['no reason that shows', har(creation, register, allowing(registeredId)), 'the recording shows no reason'],
    ['no reason that shows, at registration', har(creation), 'the recording shows no reason'],
  ])('with %s', async (_, text, reason) => {
    const { code, first, documents } = await explainHar(text);
    const said = `No answer from the browser: ${reason}`;
    expect({ code, first }).toEqual({ code: 1, first: said });
    expect(documents.at(-1)?.known_errors[0]).toMatchObject({ from: 'recording', title: reason });
    expect(documents.at(-1)).toMatchObject({
      headline: said,
      verdict: null,
      steps: [],
    });
  });

  test('has every reason, the worst first', async () => {
    const options = withOptions(request, { rpId: 'example.com', allowCredentials: [{ type: 'public-key', id: OTHER_ID }] });
    const frame = document(`${PAGE}/embed`, { dest: 'iframe', site: 'cross-site' });
    const { documents } = await explainHar(har(creation, register, frame, options));
    expect(documents.at(-1)?.known_errors.map(({ title }) => title.slice(0, 10))).toEqual(['the page w', 'the RP ID ', 'none of th']);
  });
});

describe('no call without a response is reported', () => {
  const page = document(`${PAGE}/account`);
  const form = {
    request: { method: 'POST', url: `${PAGE}/login`, headers: [], postData: { text: 'credential%5BclientDataJSON%5D=abc' } },
    response: { status: 200, headers: [], content: {} },
  };
  const withoutBody = {
    request: { method: 'POST', url: `${PAGE}/login`, headers: [], bodySize: 812 },
    response: { status: 200, headers: [], content: {} },
  };
  test.each<[string, string]>([
    [
      'for options of autofill that are replaced',
      har(creation, register, withOptions(request, { challenge: 'YXV0b2ZpbGwtY2hhbGxlbmdl' }), request, login),
    ],
    ['for options in the answer to their response', har({ ...login, response: request.response })],
    ['for options of autofill that wait', har(creation, register, request)],
    ['for options that were fetched twice', har(creation, register, request, request, login)],
    ['for options that are fetched again after the login', har(creation, register, request, login, request)],
    ['for a page that was left', har(creation, register, allowing(registeredId), page)],
    ['for a response in a form that is not read', har(allowing(OTHER_ID), form)],
    ['for a recording without bodies of requests', har(allowing(OTHER_ID), withoutBody)],
    [
      'for options of a frame with permission',
      har(
        document('https://shop.example/', { body: '<iframe allow="publickey-credentials-get">' }),
        document(`${PAGE}/`, { dest: 'iframe', site: 'cross-site' }),
        request,
      ),
    ],
  ])('%s', async (_, text) => {
    const { documents } = await explainHar(text);
    expect(documents.filter(({ headline }) => headline?.startsWith('No answer from the browser'))).toEqual([]);
  });
});
