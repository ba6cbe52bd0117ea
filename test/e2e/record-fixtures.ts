/**
 * Records fixtures/recorded anew: `npm run build && npx tsx test/e2e/record-fixtures.ts`. A real Chromium with its virtual
 * authenticator uses the page of a real `passkey serve --record`; nothing of what is written is made up here but name,
 * description and tags.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { readFixture } from '../../src/fixture/read.js';
import { writeFixture } from '../../src/fixture/write.js';
import { addAuthenticator, launchBrowser, type VirtualAuthenticatorTraits } from './browser.js';
import { BIN, ROOT } from './passkey-process.js';

const ORIGIN = 'http://localhost:7277';

/** What is clicked, and what the fixture that comes of it is called. */
interface Act {
  readonly does: 'register' | 'log-in' | 'log-in-discoverable' | 'verify';
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
}

interface Sitting {
  readonly flags: readonly string[];
  readonly authenticator: VirtualAuthenticatorTraits;
  readonly acts: readonly Act[];
}

/** Chromium makes no discoverable credential on a key that cannot verify its user. */
const SECURITY_KEY: VirtualAuthenticatorTraits = {
  transport: 'usb',
  hasResidentKey: false,
  hasUserVerification: false,
  isUserVerified: false,
};

const SITTINGS: readonly Sitting[] = [
  {
    flags: ['--user-verification', 'required'],
    authenticator: {},
    acts: [
      { does: 'register', name: 'registration-user-verified', description: 'User verification required and done.', tags: ['uv'] },
      {
        does: 'log-in',
        name: 'login-user-verified',
        description: 'User verification required and done, by a chosen passkey.',
        tags: ['uv'],
      },
      { does: 'verify', name: 'verify-user-verified', description: 'The same, once more: the signature counter has grown.', tags: ['uv'] },
    ],
  },
  {
    flags: [],
    authenticator: SECURITY_KEY,
    acts: [
      {
        does: 'register',
        name: 'registration-user-not-verified',
        description: 'User verification preferred, not possible.',
        tags: ['no-uv'],
      },
      { does: 'log-in', name: 'login-user-not-verified', description: 'User verification preferred, not possible.', tags: ['no-uv'] },
    ],
  },
  {
    flags: ['--resident-key', 'required'],
    authenticator: {},
    acts: [
      { does: 'register', name: 'registration-discoverable', description: 'A discoverable credential.', tags: ['discoverable'] },
      {
        does: 'log-in-discoverable',
        name: 'login-discoverable',
        description: 'Without allowCredentials: the user handle tells whose it is.',
        tags: ['discoverable'],
      },
    ],
  },
  {
    flags: [],
    authenticator: { defaultBackupEligibility: true, defaultBackupState: true },
    acts: [
      { does: 'register', name: 'registration-synced', description: 'A passkey that is backed up: BE and BS set.', tags: ['backup'] },
      {
        does: 'log-in-discoverable',
        name: 'login-synced',
        description: 'A passkey that is backed up: BE and BS set.',
        tags: ['backup', 'discoverable'],
      },
    ],
  },
  {
    flags: ['--attestation', 'direct'],
    authenticator: { transport: 'usb' },
    acts: [
      {
        does: 'register',
        name: 'registration-packed',
        description: 'Attestation asked for and given: packed, with a certificate.',
        tags: ['attestation'],
      },
    ],
  },
  {
    flags: ['--attestation', 'direct', '--user-verification', 'discouraged', '--resident-key', 'discouraged'],
    authenticator: { ...SECURITY_KEY, protocol: 'u2f' },
    acts: [
      {
        does: 'register',
        name: 'registration-u2f',
        description: 'A U2F security key, with its attestation.',
        tags: ['attestation', 'u2f'],
      },
      {
        does: 'log-in',
        name: 'login-u2f',
        description: 'A U2F security key: no user handle, user verification discouraged.',
        tags: ['no-uv', 'u2f'],
      },
    ],
  },
  {
    flags: ['--algorithms', 'RS256'],
    authenticator: {},
    acts: [
      { does: 'register', name: 'registration-rs256', description: 'An RSA key.', tags: ['rs256'] },
      { does: 'log-in', name: 'login-rs256', description: 'An RSA key.', tags: ['rs256'] },
    ],
  },
];

const BUTTONS: Readonly<Record<Act['does'], string>> = {
  register: '#register-button',
  'log-in': '#passkey-1-login',
  'log-in-discoverable': '#login-button',
  verify: '#passkey-1-verify',
};

async function startServer(flags: readonly string[], folder: string): Promise<ChildProcess> {
  const argv = ['serve', '--store', 'memory:', '--record', folder, '--no-open', '--json', ...flags];
  const server = spawn(process.execPath, [BIN, ...argv], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  await Promise.race([
    once(server.stdout, 'data'),
    once(server, 'close').then(() => {
      throw new Error('passkey serve ended before it listened');
    }),
  ]);
  return server;
}

/** Clicks, and waits for the file that the recorder writes of it. */
async function act(page: Page, { does }: Act, folder: string): Promise<string> {
  const before = new Set(await fixturesIn(folder));
  await page.locator(BUTTONS[does]).click();
  for (let tries = 0; tries < 200; tries++) {
    const [file] = (await fixturesIn(folder)).filter((each) => !before.has(each));
    if (file !== undefined) return join(folder, file);
    await page.waitForTimeout(50);
  }
  throw new Error(`${does}: no fixture was written; the page says: ${await page.locator('#status').innerText()}`);
}

const fixturesIn = async (folder: string) => (await readdir(folder)).filter((name) => name.endsWith('.json'));

async function sit(browser: Browser, { flags, authenticator, acts }: Sitting): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'passkey-record-'));
  const server = await startServer(flags, folder);
  const page = await browser.newPage();
  try {
    await addAuthenticator(page, authenticator);
    await page.goto(ORIGIN);
    await page.locator('#email').fill('test@example.com');
    await page.getByRole('button', { name: 'Sign in as a test user' }).click();
    await page.locator('#signed-in-as').waitFor();
    for (const each of acts) {
      const recorded = await readFixture(await act(page, each, folder));
      if (recorded.expected.outcome !== 'verified') throw new Error(`${each.name}: the server refused it`);
      const { name, description, tags } = each;
      process.stderr.write(`${await writeFixture(join(ROOT, 'fixtures/recorded'), { ...recorded, name, description, tags: [...tags] })}\n`);
    }
  } finally {
    await page.close();
    server.kill('SIGTERM');
    await once(server, 'close');
    await rm(folder, { recursive: true });
  }
}

await rm(join(ROOT, 'fixtures/recorded'), { recursive: true, force: true });
const browser = await launchBrowser();
try {
  for (const sitting of SITTINGS) await sit(browser, sitting);
} finally {
  await browser.close();
}
