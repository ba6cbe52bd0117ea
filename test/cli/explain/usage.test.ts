import { describe, expect, test } from 'vitest';
import { explain, login } from './run-explain.js';

describe('wrong usage ends with 2', () => {
  test.each<[string, string[], Readonly<Record<string, string>>, RegExp]>([
    ['a path that names nothing', ['nothing.json'], {}, /nothing\.json cannot be read \(ENOENT\)/],
    ['a file of something else', ['x'], { x: 'hello, world' }, /x: This error is unknown/],
    ['an empty file', ['x'], { x: '' }, /empty/],
    ['JSON with a mistake', ['x'], { x: '{\n  "id" 1\n}' }, /2:8/],
    ['a fixture that lacks something', ['x'], { x: '{ "format": "passkey-fixture", "version": 1 }' }, /x:1:1|\/name/],
    ['a challenge that is none', ['x', '--challenge', 'a*b'], { x: '{}' }, /--challenge.*"\*" at position 1/],
    ['a public key in PEM', ['x', '--public-key', '-----BEGIN PUBLIC KEY-----'], { x: '{}' }, /--public-key.*PEM/],
    ['a public key in no file', ['x', '--public-key', 'key.json'], { x: '{}' }, /or a file with one; there is no file key\.json\.$/m],
    [
      'a public key in no file of a folder',
      ['x', '--public-key', './keys/login.pem'],
      { x: '{}' },
      /there is no file \.\/keys\/login\.pem\.$/m,
    ],
    ['a public key by a short name', ['x', '--public-key', 'mykey'], { x: '{}' }, /there is no file mykey\.$/m],
    ['a file without a public key', ['x', '--public-key', 'key.json'], { x: '{}', 'key.json': '{"a":1}' }, /is none of: (?!.*no file)/],
    ['a file with another text', ['x', '--public-key', 'key.json'], { x: '{}', 'key.json': 'mykey' }, /--public-key expects (?!.*no file)/],
    ['bytes that are no public key', ['x', '--public-key', `0x${'ab'.repeat(40)}`], { x: '{}' }, /a public key(?!.*no file)/],
    ['base64 that is no public key', ['x', '--public-key', `/${'q'.repeat(59)}`], { x: '{}' }, /a public key(?!.*no file)/],
    ['a public key in a folder', ['x', '--public-key', '.'], { x: '{}' }, /--public-key.*; \. is a folder\.$/m],
    [
      'a public key of a login',
      ['x', '--public-key', 'l.json'],
      { x: '{}', 'l.json': JSON.stringify(login.response) },
      /Got an authentication response, which holds no public key/,
    ],
    ['a challenge of one character', ['x', '--challenge', 'A'], { x: '{}' }, /--challenge.*got a single character/],
    ['names by something else', ['x', '--aaguids', 'n.json'], { x: '{}', 'n.json': '{"yubikey":"Y"}' }, /expects AAGUIDs .*got "yubikey"/],
    ['a time that is none', ['x', '--at', 'yesterday'], { x: '{}' }, /--at expects a time/],
    ['roots that are none', ['x', '--roots', 'x'], { x: '{}' }, /--roots expects certificates/],
    ['names that are none', ['x', '--aaguids', 'x'], { x: '[]' }, /--aaguids expects/],
    ['an empty folder', ['.'], {}, /at least one fixture(?![\s\S]*--record)/],
    [
      'a folder without fixtures',
      ['bin'],
      { 'bin/a.js': '' },
      /^passkey: bin: expected a folder with at least one fixture(?![\s\S]*--record)/,
    ],
    [
      'text',
      ['README.md'],
      { 'README.md': '# Passkeys – a tool\n' },
      /^passkey: README\.md: This error is unknown; add the HAR or the response/,
    ],
    ['a JSON object in one line', ['o.json'], { 'o.json': '{"a":1}\n' }, /^passkey: o\.json: The JSON is none of/],
    ['two JSON objects of something else', ['o.json'], { 'o.json': '{"a":1}\n{"a":2}\n' }, /^passkey: o\.json looks like JSON, but at 2:1/],
  ])('%s', async (_, argv, files, message) => {
    const { code, stdout, stderr } = await explain(argv, files);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });
});
