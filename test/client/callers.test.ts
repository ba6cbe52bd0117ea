import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.js';
import type { FetchPort } from '../../src/client/well-known.js';
import { decodeClientData } from '../../src/webauthn/client-data.js';
import { creation, ORIGIN, RP_ID, request, setUp } from './ceremony.js';

const RELATED = 'https://example.org';

/** A web of documents by their addresses; whatever was asked for is in `asked`. */
function web(documents: Readonly<Record<string, { body: string; type?: string; status?: number; url?: string }>>) {
  const asked: string[] = [];
  const fetch: FetchPort = async (url) => {
    asked.push(url);
    const document = documents[url];
    if (document === undefined) throw new Error('no such host');
    const { body, type = 'application/json', status = 200 } = document;
    return { status, url: document.url ?? url, headers: { get: () => type }, text: async () => body };
  };
  return { asked, fetch };
}

const WELL_KNOWN = `https://${RP_ID}/.well-known/webauthn`;
const listing = (...origins: readonly unknown[]) => ({ [WELL_KNOWN]: { body: JSON.stringify({ origins }) } });
const clientDataOf = ({ response }: { response: { clientDataJSON: string } }) =>
  decodeClientData(new Uint8Array(Buffer.from(response.clientDataJSON, 'base64url')));

describe('related origins (§5.11)', () => {
  const clientWith = (fetch: FetchPort, origin = RELATED) => setUp({}, { origin, fetch }).client;

  test('the site of the RP ID lists the caller: both ceremonies and signals go through', async () => {
    const { fetch, asked } = web(listing(RELATED));
    const client = clientWith(fetch);
    const { id, ...created } = await client.create({ publicKey: creation() });
    expect(clientDataOf(created)).toMatchObject({ origin: RELATED });
    await client.get({ publicKey: request({ allowCredentials: [{ type: 'public-key', id }] }) });
    await client.signalUnknownCredential({ rpId: RP_ID, credentialId: id });
    expect(asked).toEqual([WELL_KNOWN, WELL_KNOWN, WELL_KNOWN]);
  });

  test('nothing is fetched for an RP ID of the same site, or for one that no domain can be', async () => {
    const { fetch, asked } = web({});
    await clientWith(fetch, ORIGIN).create({ publicKey: creation() });
    await expect(clientWith(fetch).create({ publicKey: creation({ rp: { id: 'EXAMPLE.com', name: 'x' } }) })).rejects.toMatchObject({
      name: 'SecurityError',
    });
    await expect(clientWith(fetch).create({ publicKey: creation({ rp: { id: '127.0.0.1', name: 'x' } }) })).rejects.toMatchObject({
      name: 'SecurityError',
    });
    expect(asked).toEqual([]);
  });

  const five = ['https://a.com', 'https://b.com', 'https://c.co.uk', 'https://d.github.io', 'https://e.com'];
  test.each([
    ['the fifth label', [...five.slice(0, 4), RELATED]],
    ['the sixth label, known before by another suffix', [...five, 'https://a.de', 'https://b.de']],
    ['entries that are no URLs, or have no label', ['mailto:x', 'https://com', 'https://192.0.2.1', ...five.slice(0, 4), RELATED]],
  ])('%s counts', async (_, origins) => {
    const caller = origins.at(-1) ?? '';
    await clientWith(web(listing(...origins)).fetch, caller).create({ publicKey: creation() });
  });

  test.each([
    ['the sixth label', listing(...five, RELATED), /does not list https:\/\/example\.org among the origins of the first 5 domain labels/],
    ['another port', listing(`${RELATED}:8443`), /does not list/],
    ['another scheme', listing('http://example.org'), /does not list/],
    ['no list', { [WELL_KNOWN]: { body: '{"origins":"https://example.org"}' } }, /a list of strings in "origins"/],
    ['an entry that is no text', listing(RELATED, 7), /a list of strings in "origins"/],
    ['no object', { [WELL_KNOWN]: { body: '[]' } }, /a list of strings/],
    ['no JSON', { [WELL_KNOWN]: { body: '<html>' } }, /is not JSON/],
    ['another content type', { [WELL_KNOWN]: { body: '{}', type: 'text/html' } }, /content type application\/json; got "text\/html"/],
    ['an error', { [WELL_KNOWN]: { body: '{}', status: 404 } }, /answered with status 404/],
    ['a way over http', { [WELL_KNOWN]: { body: '{}', url: 'http://example.com/x' } }, /which is not https/],
    ['a document without end', { [WELL_KNOWN]: { body: ' '.repeat(262_145) } }, /longer than 262144/],
    ['no answer', {}, /could not be fetched: no such host/],
  ])('%s is a SecurityError', async (_, documents, message) => {
    const refused = { name: 'SecurityError', message };
    await expect(clientWith(web(documents).fetch).create({ publicKey: creation() })).rejects.toMatchObject(refused);
    await expect(clientWith(web(documents).fetch).get({ publicKey: request() })).rejects.toMatchObject(refused);
  });

  test('a content type may have parameters', async () => {
    const body = JSON.stringify({ origins: [RELATED] });
    await clientWith(web({ [WELL_KNOWN]: { body, type: 'Application/JSON; charset=utf-8' } }).fetch).create({ publicKey: creation() });
  });

  test('without fetch, an RP ID of another site is refused as ever', async () => {
    await expect(setUp({}, { origin: RELATED }).client.create({ publicKey: creation() })).rejects.toMatchObject({ name: 'SecurityError' });
  });
});

describe('Android apps', () => {
  const fingerprint = createHash('sha256').update('certificate').digest();
  const origin = `android:apk-key-hash:${fingerprint.toString('base64url')}`;
  const androidPackageName = 'com.example.app';
  const LINKS = `https://${RP_ID}/.well-known/assetlinks.json`;
  const statement = {
    relation: ['delegate_permission/common.get_login_creds'],
    target: {
      namespace: 'android_app',
      package_name: androidPackageName,
      sha256_cert_fingerprints: [fingerprint.toString('hex').toUpperCase().match(/../g)?.join(':')],
    },
  };
  const links = (...statements: unknown[]) => web({ [LINKS]: { body: JSON.stringify(statements) } }).fetch;

  test('the client data have the key hash as origin, and the name of the app', async () => {
    const { client } = setUp({}, { origin, androidPackageName });
    const created = await client.create({ publicKey: creation() });
    expect(clientDataOf(created)).toMatchObject({ origin, crossOrigin: false, raw: { androidPackageName } });
    const got = await client.get({ publicKey: request() });
    expect(clientDataOf(got)).toMatchObject({ origin, raw: { androidPackageName } });
  });

  test('an app has no domain: it must give the RP ID', async () => {
    const { client } = setUp({}, { origin });
    const refused = { name: 'SecurityError', message: expect.stringContaining('which an Android app must give; got none') };
    await expect(client.create({ publicKey: creation({ rp: { name: 'x' } }) })).rejects.toMatchObject(refused);
  });

  test('with fetch, the site must vouch for it', async () => {
    const options = { origin, androidPackageName };
    await setUp({}, { ...options, fetch: links({ relation: [] }, statement) }).client.create({ publicKey: creation() });
    const { target } = statement;
    for (const wrong of [
      { ...statement, relation: ['delegate_permission/common.handle_all_urls'] },
      { ...statement, target: { ...target, namespace: 'web' } },
      { ...statement, target: { ...target, package_name: 'com.example.other' } },
      { ...statement, target: { ...target, sha256_cert_fingerprints: ['00:11'] } },
      { ...statement, target: null },
      'statement',
    ]) {
      const { client } = setUp({}, { ...options, fetch: links(wrong) });
      await expect(client.create({ publicKey: creation() })).rejects.toMatchObject({
        name: 'SecurityError',
        message: expect.stringContaining(LINKS),
      });
    }
  });

  test('a key hash that is none is refused', () => {
    const { authenticator } = setUp();
    for (const wrong of ['android:apk-key-hash:', 'android:apk-key-hash:AAAA', `${origin}=`]) {
      expect(() => createClient({ authenticator, origin: wrong })).toThrow(
        /give the base64url of the SHA-256 of the app's certificate, 32 bytes/,
      );
    }
  });
});

describe('the permissions policy of an iframe (§5.9)', () => {
  const topOrigin = 'https://shop.example';
  test.each([
    [{ 'publickey-credentials-create': false }, 'create'],
    [{ 'publickey-credentials-get': false }, 'get'],
  ] as const)('%o refuses %s only', async (permissionsPolicy, refused) => {
    const { client } = setUp({}, { topOrigin, permissionsPolicy });
    const { authenticator } = setUp();
    const whole = createClient({ authenticator, origin: ORIGIN });
    await whole.create({ publicKey: creation() });
    const framed = createClient({ authenticator, origin: ORIGIN, topOrigin, permissionsPolicy });
    const message = expect.stringContaining(`publickey-credentials-${refused}`);
    if (refused === 'create') {
      await expect(client.create({ publicKey: creation() })).rejects.toMatchObject({ name: 'NotAllowedError', message });
      await framed.get({ publicKey: request() });
    } else {
      await expect(framed.get({ publicKey: request() })).rejects.toMatchObject({ name: 'NotAllowedError', message });
      await client.create({ publicKey: creation() });
    }
    // A page of its own asks nobody.
    await createClient({ authenticator, origin: ORIGIN, permissionsPolicy }).get({ publicKey: request() });
  });
});

test('enterprise attestation is possible for the RP IDs of the administrator only', async () => {
  const asked: boolean[] = [];
  for (const [attestation, enterpriseRpIds] of [
    ['enterprise', [RP_ID]],
    ['enterprise', []],
    ['direct', [RP_ID]],
  ] as const) {
    const { authenticator } = setUp();
    const watched = {
      ...authenticator,
      makeCredential: (made: Parameters<typeof authenticator.makeCredential>[0]) => {
        asked.push(made.enterpriseAttestationPossible);
        return authenticator.makeCredential(made);
      },
    };
    await createClient({ authenticator: watched, origin: ORIGIN, enterpriseRpIds }).create({ publicKey: creation({ attestation }) });
  }
  expect(asked).toEqual([true, false, false]);
});
