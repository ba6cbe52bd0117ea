import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../../src/cli/main.js';
import { MISTAKES, recordRefusedLogin } from '../../explain/refused-logins.js';
import { recordAnswer } from '../../explain/server-answers.js';
import { fakeIo } from '../fake-io.js';
import { FIXTURES, login, members, recorded, registration } from './run-explain.js';

const CODES: Readonly<Record<string, string>> = { 1: 'bold', 2: 'dim', 22: '/', 31: 'red', 32: 'green', 33: 'yellow', 39: '/' };
const COLOUR = new RegExp(`${String.fromCodePoint(0x1b)}\\[(\\d+)m`, 'g');

/** What `passkey explain` shows of an input on a terminal, with its colours as `<red>` and their end as `</>`. */
async function shown(input: string | Uint8Array, ...flags: readonly string[]): Promise<string> {
  return await shownAt(undefined, input, ...flags);
}

async function shownAt(columns: number | undefined, input: string | Uint8Array, ...flags: readonly string[]): Promise<string> {
  const { io, written, stdin } = fakeIo({ terminal: true, ...(columns !== undefined && { columns }) });
  const ending = run(['explain', '-', ...flags], io);
  stdin.end(input);
  const code = await ending;
  const text = `${written.stdout}${written.stderr === '' ? '' : `stderr: ${written.stderr}`}exit code ${code}\n`;
  return text.replaceAll(COLOUR, (_, number: string) => `<${CODES[number] ?? number}>`);
}

const invalid = (name: string) => readFile(join(FIXTURES, 'invalid', `${name}.json`), 'utf8');
/** COSE key of a registration that lacks its end. */
const cut = () => {
  const data = Buffer.from(String(members(registration)['attestationObject']), 'base64url');
  return data.subarray(0, data.length - 7);
};
const options = JSON.stringify({
  challenge: 'AAAA',
  rp: { id: 'example.org', name: 'Shop' },
  user: { id: 'AQ', name: 'ada@example.org', displayName: '' },
  pubKeyCredParams: [{ type: 'public-key', alg: -65535 }],
  timeout: 5,
});

test.each<[name: string, show: () => Promise<string>]>([
  ['a login that the server of a recording refused', async () => shown((await recordRefusedLogin(MISTAKES['wrong expected origin'])).har)],
  ['a server that failed', () => shown(recordAnswer({ status: 502, body: '<h1>Bad Gateway</h1>' }), '--brief')],
  ['a server that accepted what the steps leave open', () => shown(recordAnswer({ status: 204 }), '--brief')],
  ['a fixture whose steps fail', async () => shown(await invalid('authentication-counter-regressed'), '--no-brief')],
  ['a registration that is accepted', () => shown(recorded('registration-packed'))],
  ['a response without expectations', () => shown(JSON.stringify(login.response), '--brief')],
  ['options with advice', () => shown(options)],
  ['a registration in a narrow terminal', () => shownAt(56, recorded('registration-packed'))],
  ['a registration in a wide terminal', () => shownAt(150, recorded('registration-packed'))],
  ['an attestation object that ends too early in a narrow terminal', () => shownAt(50, cut())],
  ['an error text', () => shown('NotAllowedError: The operation either timed out or was not allowed.')],
  ['an attestation object that ends too early', () => shown(cut())],
  [
    'several inputs in a narrow terminal',
    async () => {
      const call = JSON.stringify({ method: 'get', error: 'NotAllowedError', options: { challenge: 'AAAA', rpId: 'example.org' } });
      const lines = [
        await invalid('authentication-counter-regressed'),
        options,
        call,
        recordAnswer({ status: 403, body: '{"error":"closed"}' }),
      ];
      return shownAt(48, lines.map((line) => `${JSON.stringify(JSON.parse(line))}\n`).join(''));
    },
  ],
  [
    'several inputs',
    async () => {
      const lines = [
        recorded('registration-packed'),
        await invalid('authentication-counter-regressed'),
        JSON.stringify(login.response),
        options,
      ];
      return shown(lines.map((line) => `${JSON.stringify(JSON.parse(line))}\n`).join(''));
    },
  ],
])('%s', async (name, show) => {
  await expect(await show()).toMatchFileSnapshot(`on-a-terminal/${name.replaceAll(/[ -]+/g, '-')}.txt`);
});
