import { generateKeyPairSync } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import { createSecureContext } from 'node:tls';
import { expect, test } from 'vitest';
import { openStore } from '../../src/store/open-store.js';
import { makeCertificate, toPem } from '../relying-party/certificate.js';
import { message, READY_AND_GONE, refusal, scriptedPostgres, WELCOME } from './scripted-postgres.js';

const CLEARTEXT = message('R', 3);

test.each([
  ['an authentication that pg does not know', [message('R', 99)]],
  ['an authentication that is cut off', [message('R', 10, 'SCRAM')]],
  ['a mechanism of authentication that pg does not know', [message('R', 10, 'UNKNOWN\0\0')]],
  ['a message without a length', [Buffer.from('R\0\0\0\0')]],
  ['a refusal', [refusal('28000', 'no entry')]],
  ['a row that is longer than its message', [WELCOME, message('D', 'zzzzzz')]],
  ['a connection that ends in the packet that makes it ready', [READY_AND_GONE]],
])('%s makes the store unavailable, closes the connection, and ends nothing else', async (_, answers) => {
  const { url, closed } = await scriptedPostgres(answers);
  await expectUnavailable(url);
  await closed;
});

test('the same holds for what comes by TLS', async () => {
  const { url, closed } = await scriptedPostgres([message('R', 99)], { tls: secureContext() });
  await expectUnavailable(`${url}?sslmode=no-verify`);
  await closed;
});

test('a message of the server stays on one line', async () => {
  const { url } = await scriptedPostgres([refusal('28000', 'no\r\n  ::error::entry')]);
  expect(await failureOf(url)).toMatchObject({ message: expect.stringMatching(/cannot be used: no ::error::entry\. The server does not/) });
});

const OUTSIDE = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.internal === false && each.family === 'IPv4')?.address;

test.skipIf(OUTSIDE === undefined)('no password is sent in clear text, but by TLS or to this machine', async () => {
  const refused = refusal('28P01', 'wrong password');
  const outside = await scriptedPostgres([CLEARTEXT, refused], { host: OUTSIDE ?? '' });
  expect(await failureOf(outside.url)).toMatchObject({
    code: 'store_unavailable',
    message: expect.stringMatching(/: the server asks for the password in clear text, and the connection is not encrypted\. Add \?sslmode/),
  });
  const encrypted = await scriptedPostgres([CLEARTEXT, refused], { host: OUTSIDE ?? '', tls: secureContext() });
  const wrong = { message: expect.stringContaining('wrong password') };
  expect(await failureOf(`${encrypted.url}?sslmode=no-verify`)).toMatchObject(wrong);
  expect(await failureOf((await scriptedPostgres([CLEARTEXT, refused])).url)).toMatchObject(wrong);
});

function secureContext() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = { C: 'XX', O: 'passkey', OU: 'test', CN: 'localhost' };
  const [from, to] = [Date.UTC(2020, 0, 1), Date.UTC(2049, 0, 1)];
  const der = makeCertificate({ subject, issuer: subject, publicKey, privateKey, ca: false, from, to, serial: 1 });
  return createSecureContext({ cert: toPem(der), key: privateKey.export({ format: 'pem', type: 'pkcs8' }) });
}

const failureOf = (url: string): Promise<unknown> => openStore(url, { create: true }).catch((each: unknown) => each);

async function expectUnavailable(url: string): Promise<void> {
  const error = await failureOf(url);
  expect(error).toMatchObject({
    code: 'store_unavailable',
    exitCode: 3,
    message: expect.stringMatching(/^The store postgres:\/\/127\.0\.0\.1:\d+\/passkeys cannot be used: .*\. \w/),
  });
  expect(String(error)).not.toContain('secret');
}
