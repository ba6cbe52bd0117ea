import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../cli/temp-folder.js';
import { chromiumPath, skipWithoutBrowser } from './browser.js';
import { startShop } from './page-check/shop.js';
import { spawnPasskey } from './passkey-process.js';

const click = (name: string) => ({ click: { role: 'button', name } });
const flowsOf = (path: string) => ({
  register: [{ goto: path }, click('Add a passkey')],
  login: [{ goto: path }, click('Sign in with a passkey')],
});

interface Checked {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/** `passkey browse URL --check --flow FILE` against the shop, in a folder with the flows of the page. */
async function check(path: string, more: readonly string[] = [], cwd?: string): Promise<Checked & { readonly cwd: string }> {
  await using shop = await startShop();
  const folder = cwd ?? (await tempFolder());
  await writeFile(join(folder, 'flow.json'), JSON.stringify(flowsOf(path)));
  const child = spawnPasskey(
    ['browse', shop.url, '--check', '--flow', 'flow.json', '--headless', '--browser', chromiumPath ?? '', ...more],
    {
      cwd: folder,
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const [stdout, stderr, [code]] = await Promise.all([
    child.stdout === null ? '' : text(child.stdout),
    child.stderr === null ? '' : text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, stdout, stderr, cwd: folder };
}

describe.skipIf(skipWithoutBrowser())('passkey browse --check', () => {
  test('finds nothing on a correct page', { timeout: 240_000 }, async () => {
    const { code, stdout } = await check('/', ['--json']);
    const { format, findings, summary } = JSON.parse(stdout);
    expect({ code, format, findings }).toEqual({ code: 0, format: 'passkey-page-report', findings: [] });
    expect(summary).toMatchObject({ failed: 0, not_judged: 0 });
    expect(summary.passed).toBeGreaterThan(40);
  });

  test('finds a fault, which a baseline takes from the exit code', { timeout: 300_000 }, async () => {
    const reports = ['--reporter', 'pretty', '--reporter', 'sarif=page.sarif', '--write-baseline', 'known.json'];
    const { code, stdout, cwd } = await check('/?fault=exclude', ['register.exclude-credentials', ...reports]);
    expect(code).toBe(1);
    expect(stdout).toContain('medium, exclude-lost: ');
    expect(stdout).toContain('✗ register.exclude-credentials');
    expect(JSON.parse(await readFile(join(cwd, 'page.sarif'), 'utf8'))).toMatchObject({ version: '2.1.0' });
    const again = await check('/?fault=exclude', ['register.exclude-*', '--json', '--baseline', 'known.json'], cwd);
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({
      findings: [{ cause: 'exclude-lost', known: true }],
      summary: { total: 1, failed: 1, known: 1 },
    });
  });

  test('says which step of a flow cannot be played, and is no pass then', { timeout: 240_000 }, async () => {
    const folder = await tempFolder();
    await using shop = await startShop();
    const flows = { ...flowsOf('/'), login: [{ goto: '/' }, click('Sign in with a passkee')] };
    await writeFile(join(folder, 'flow.json'), JSON.stringify(flows));
    const child = spawnPasskey(['browse', shop.url, '--check', '--flow', 'flow.json', '--headless', '--browser', chromiumPath ?? ''], {
      cwd: folder,
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [stdout, [code]] = await Promise.all([child.stdout === null ? '' : text(child.stdout), once(child, 'close')]);
    expect(code).toBe(2);
    expect(stdout).toContain('Expected a visible button named "Sign in with a passkee"; the page has "');
  });
});
