import { expect } from 'vitest';
import { Service } from '../app.js';
import { test } from '../service-test.js';

const CALL = {
  name: 'NotAllowedError',
  message: 'The operation timed out or was not allowed.',
  call: 'create',
  milliseconds: 59_500,
  options: { rp: { id: 'localhost' }, timeout: 60_000, pubKeyCredParams: [{ type: 'public-key', alg: -7 }] },
  origin: 'http://localhost:7277',
  signalled: false,
  secure_context: true,
  permitted: null,
  framed: false,
  focused: true,
} as const;

test('POST /dev/browser-error explains by the options and by what the page saw', async ({ service }) => {
  const explain = async (change: object) => (await service.post('/dev/browser-error', { ...CALL, ...change }, { token: null })).json();
  expect(await explain({})).toMatchObject({ causes: expect.arrayContaining([expect.stringContaining('It timed out')]) });
  expect((await explain({ permitted: false })).title).toBe('This frame may not use passkeys');
  expect((await explain({ focused: false })).causes.join()).toContain('did not have the focus');
  expect((await explain({ name: 'SecurityError', call: 'get', options: { rpId: 'example.com' } })).title).toBe(
    'rp.id "example.com" does not match the origin http://localhost:7277',
  );
  expect((await explain({ name: 'WeirdError', secure_context: false })).next).toContain('secure context');
  expect(await explain({ software: true })).toMatchObject({
    title: 'The software authenticator refused the options, as a browser would',
    causes: [CALL.message],
  });
  expect((await explain({ call: 'other' })).code).toBe('validation_failed');
});

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
  'POST /dev/browser-error takes the name %s as any other',
  async (name) => {
    await using service = await Service.start();
    const reply = await service.post('/dev/browser-error', { ...CALL, name }, { token: null });
    expect([reply.statusCode, reply.json().title]).toEqual([200, `The browser answered ${name}`]);
  },
);
