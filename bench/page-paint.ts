// How long the test page takes to its first paint and until it answers, with 200 passkeys and 1,000 ceremonies, on a processor that is four
// times slower (DevTools' throttling). Run `npm run build` before, on a machine that does nothing else.
//   node --import tsx bench/page-paint.ts [LOADS]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchBrowser } from '../test/e2e/browser.js';
import { fillServer } from '../test/e2e/page-filled.js';

const LOADS = Number(process.argv[2] ?? 9);
const SLOWER = 4;

const cwd = await mkdtemp(join(tmpdir(), 'passkey-paint-'));
const server = spawn(process.execPath, [join(import.meta.dirname, '../bin/passkey.js'), 'serve', '--port', '0', '--no-open', '--json'], {
  cwd,
  stdio: ['ignore', 'pipe', 'ignore'],
});
const browser = await launchBrowser();
try {
  const [line] = await once(server.stdout, 'data');
  const { url }: { readonly url: string } = JSON.parse(String(line));
  await fillServer(url, { passkeys: 200, ceremonies: 1_000 });
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  const painted: number[] = [];
  const ready: number[] = [];
  for (let load = 0; load < LOADS; load += 1) {
    await page.goto(url);
    await page.locator('html[data-ready=true]').waitFor();
    const [paint, now]: [number, number] = await page.evaluate(
      `[performance.getEntriesByName('first-contentful-paint')[0].startTime, performance.now()]`,
    );
    painted.push(paint);
    ready.push(now);
  }
  for (const [what, times] of Object.entries({ 'first paint with content': painted, 'ready, with the list': ready })) {
    const sorted = times.toSorted((a, b) => a - b).map(Math.round);
    process.stdout.write(`${what}: median ${sorted[sorted.length >> 1]} ms, ${sorted[0]} to ${sorted.at(-1)} ms of ${LOADS} loads\n`);
  }
} finally {
  await browser.close();
  server.kill();
  await once(server, 'exit');
  await rm(cwd, { recursive: true, force: true });
}
