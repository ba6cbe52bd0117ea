// How long the test page takes to its first paint, to its first row and until it answers, and to search, with 200 passkeys and 1,200
// ceremonies, on a processor that is four times slower (DevTools' throttling). Run `npm run build` before, on a machine that does nothing else.
// With the root of another build, both are measured in turns, and compared.
//   node --import tsx bench/page-paint.ts [LOADS] [ROOT]
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { launchBrowser } from '../test/e2e/browser.js';
import { fillServer } from '../test/e2e/page-filled.js';

const LOADS = Number(process.argv[2] ?? 9);
const ROOTS = [join(import.meta.dirname, '..'), ...process.argv.slice(3)];
const SLOWER = 4;

const MEASURES = ['first paint with content', 'first row', 'ready, with the list', 'search', 'work of a load', 'work of a search'] as const;
type Times = Record<(typeof MEASURES)[number], number>;

/** Notes when the first row is there. */
const WATCH = `new MutationObserver((_, observer) => {
  if (document.querySelector('.stream .row') === null) return;
  globalThis.firstRow = performance.now();
  observer.disconnect();
}).observe(document, { childList: true, subtree: true });`;

/** Types a search, and waits for the frame that shows what was found. */
const SEARCH = `new Promise((resolve) => {
  const field = document.getElementById('list-search');
  const start = performance.now();
  field.value = 'register';
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
})`;

/** Milliseconds that the thread of a document has worked, whatever else the machine does. */
async function readWork(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
}

async function load({ page, url, session }: Pick<Side, 'page' | 'url' | 'session'>): Promise<Times> {
  await page.goto(url);
  await page.locator('html[data-ready=true]').waitFor();
  const [paint, ready]: [number, number] = await page.evaluate(
    `[performance.getEntriesByName('first-contentful-paint')[0].startTime, performance.now()]`,
  );
  await page.locator('.stream .row').first().waitFor();
  const row: number = await page.evaluate('firstRow');
  // What was still under way would count as part of the search.
  await page.waitForLoadState('networkidle');
  const loaded = await readWork(session);
  const search: number = await page.evaluate(SEARCH);
  return {
    'first paint with content': paint,
    'first row': row,
    'ready, with the list': ready,
    search,
    'work of a load': loaded,
    'work of a search': (await readWork(session)) - loaded,
  };
}

interface Side {
  readonly root: string;
  readonly page: Page;
  readonly url: string;
  readonly session: CDPSession;
  readonly times: Times[];
}

async function open(root: string, cwd: string, browser: Browser): Promise<Side> {
  const server: ChildProcess = spawn(process.execPath, [join(root, 'bin/passkey.js'), 'serve', '--port', '0', '--no-open', '--json'], {
    cwd,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  servers.push(server);
  const [line] = await once(server.stdout ?? server, 'data');
  const { url }: { readonly url: string } = JSON.parse(String(line));
  await fillServer(url, { passkeys: 200, ceremonies: 1_200 });
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript(WATCH);
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return { root, page, url, session, times: [] };
}

const servers: ChildProcess[] = [];
const folders = await Promise.all(ROOTS.map(() => mkdtemp(join(tmpdir(), 'passkey-paint-'))));
const browser = await launchBrowser();
try {
  const sides: Side[] = [];
  for (const [index, root] of ROOTS.entries()) sides.push(await open(root, folders[index] ?? '', browser));
  for (let turn = 0; turn < LOADS; turn += 1) {
    for (const side of sides) side.times.push(await load(side));
  }
  for (const measure of MEASURES) {
    const medians = sides.map(({ root, times }) => {
      const sorted = times.map((time) => Math.round(time[measure])).toSorted((a, b) => a - b);
      const median = sorted[sorted.length >> 1] ?? Number.NaN;
      process.stdout.write(`${measure}: median ${median} ms, ${sorted[0]} to ${sorted.at(-1)} ms of ${LOADS} loads, ${root}\n`);
      return median;
    });
    const [here, there] = medians;
    if (here !== undefined && there !== undefined) process.stdout.write(`  ${(here / there).toFixed(2)} of the other\n`);
  }
} finally {
  await browser.close();
  for (const server of servers) {
    server.kill();
    await once(server, 'exit');
  }
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
}
