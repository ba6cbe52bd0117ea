import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCeremonies } from '../../src/testing/ceremonies.js';
import { installCredentials } from '../../src/testing/credentials/install-credentials.js';
import { addSoftwareAuthenticator } from '../../src/testing/playwright/playwright.js';
import { startServer } from '../../src/testing/start-server.js';
import { tamper } from '../../src/testing/tamper.js';

/** As from plain JavaScript, where no compiler looks at the options. */
const calls: readonly (readonly [name: string, call: (options: unknown) => unknown])[] = [
  ['installCredentials()', (options) => Reflect.apply(installCredentials as () => unknown, undefined, [options])],
  ['createCeremonies()', (options) => Reflect.apply(createCeremonies as () => unknown, undefined, [options])],
  ['startServer()', (options) => Reflect.apply(startServer as () => unknown, undefined, [options])],
  ['addSoftwareAuthenticator()', (options) => Reflect.apply(addSoftwareAuthenticator as () => unknown, undefined, [{}, options])],
  ['tamper()', (options) => Reflect.apply(tamper as () => unknown, undefined, [{}, 'login.signature-bit', options])],
];

const rows: readonly (readonly [name: string, options: unknown, says: string])[] = [
  [
    'installCredentials()',
    { orign: 'https://example.com' },
    'installCredentials() has no option "orign" (did you mean "origin"?). It has persona, ',
  ],
  ['installCredentials()', { zzzzzz: 1 }, 'installCredentials() has no option "zzzzzz". It has persona, '],
  ['installCredentials()', null, 'Expected the options of installCredentials() as an object; got null.'],
  ['createCeremonies()', { personna: 'yubikey-5' }, 'createCeremonies() has no option "personna" (did you mean "persona"?).'],
  ['createCeremonies()', { rp: { ID: 'x' } }, 'rp of createCeremonies() has no option "ID" (did you mean "id"?). It has id, name.'],
  ['startServer()', { prot: 1 }, 'startServer() has no option "prot" (did you mean "port"?). It has users, '],
  [
    'startServer()',
    { policy: { challengeTTL: 1 } },
    'policy of startServer() has no option "challengeTTL" (did you mean "challengeTtl"?).',
  ],
  ['startServer()', { settings: { ratelimit: 1 } }, 'settings of startServer() has no option "ratelimit" (did you mean "rateLimit"?).'],
  [
    'startServer()',
    { users: [{ email: 'a@example.com', nmae: 'A' }] },
    'a user of startServer() has no option "nmae" (did you mean "name"?).',
  ],
  [
    'addSoftwareAuthenticator()',
    { conditonal: 'answer' },
    'addSoftwareAuthenticator() has no option "conditonal" (did you mean "conditional"?).',
  ],
  [
    'tamper()',
    { credentials: {} },
    'tamper() has no option "credentials" (did you mean "credential"?). It has credential, options, topOrigin.',
  ],
];

test.each(rows)('%s refuses %j', async (name, options, says) => {
  const call = calls.find(([each]) => each === name)?.[1];
  const refused = await Promise.resolve()
    .then(() => call?.(options))
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(TypeError);
  expect(String(refused)).toContain(says);
});

test.each(calls.map(([name]) => name))('docs/testing.md lists every option of %s', async (name) => {
  const call = calls.find(([each]) => each === name)?.[1];
  const refused = await Promise.resolve()
    .then(() => call?.({ zzzzzz: 1 }))
    .catch((error: unknown) => error);
  const [, names = ''] = /It has (.+)\.$/.exec(String(refused)) ?? [];
  const page = await readFile(join(import.meta.dirname, '../../docs/testing.md'), 'utf8');
  const [, section = ''] = page.split(`\n### \`${name}\`\n`);
  const [rows = ''] = section.split('\n#');
  expect(names.split(', ').filter((option) => !rows.includes(`\`${option}\``))).toEqual([]);
});
