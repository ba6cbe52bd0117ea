import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { run } from '../../../src/cli/main.js';
import { version } from '../../../src/cli/package.js';
import { asObject, type JsonObject } from '../../../src/kernel/json-value.js';
import { until } from '../../until.js';
import { fakeIo } from '../fake-io.js';
import { tempFolder } from '../temp-folder.js';
import { ACCEPTED, creation, ORIGIN, request } from './browsed.js';
import { playBrowser } from './played-browser.js';

const click = (name: string) => ({ click: { role: 'button', name } });
const FLOWS = { register: [{ goto: '/shop' }, click('Create')], login: [{ goto: '/shop' }, click('Log in')] };

interface Shop {
  /** Whether transports are in what the page sends of a registration. */
  readonly keepsTransports: boolean;
  /** Whether a promise of the page is rejected in each case after the honest runs. */
  readonly complains: boolean;
  /** Whether its documents load. */
  readonly loads?: boolean;
}

/** A browser whose pages register and log in when their buttons are clicked. */
async function playShop({ keepsTransports, complains, loads = true }: Shop) {
  let pages = 0;
  const open = { now: 0, most: 0 };
  const responses: JsonObject[] = [];
  let busy = 0;
  const buttons = new Map<string | undefined, unknown>();
  const browser = await playBrowser({
    'Target.createBrowserContext': () => {
      open.now += 1;
      open.most = Math.max(open.most, open.now);
      return { browserContextId: (pages += 1) };
    },
    'Target.disposeBrowserContext': () => {
      open.now -= 1;
      return {};
    },
    'Target.createTarget': ({ params: { browserContextId } }) => {
      browser.tell('Target.attachedToTarget', { sessionId: `page ${browserContextId}`, targetInfo: { type: 'page', browserContextId } });
      return {};
    },
    'Page.navigate': ({ params: { url }, sessionId }) => {
      observe(sessionId, { kind: 'document', url });
      if (!loads) return undefined;
      browser.tell('Page.loadEventFired', {}, sessionId);
      return {};
    },
    'Accessibility.queryAXTree': ({ params: { accessibleName }, sessionId }) => {
      buttons.set(sessionId, accessibleName);
      return { nodes: [{ backendDOMNodeId: 1 }] };
    },
    'DOM.getContentQuads': () => ({ quads: [[0, 0, 2, 0, 2, 2, 0, 2]] }),
    'DOM.resolveNode': () => ({ object: { objectId: 'button' } }),
    'Runtime.callFunctionOn': () => ({ result: { value: '' } }),
    'Runtime.evaluate': ({ params }) => ({ result: String(params['expression']).includes('pending()') ? { value: busy } : {} }),
    'Input.dispatchMouseEvent': ({ params, sessionId }) => {
      if (params['type'] === 'mouseReleased') void perform(sessionId ?? '');
      return {};
    },
  });
  const observe = (session: string | undefined, observation: JsonObject) =>
    browser.tell('Runtime.bindingCalled', { name: 'passkeyObserved', payload: JSON.stringify(observation) }, session);
  async function perform(session: string): Promise<void> {
    busy += 1;
    observe(session, { kind: 'press' });
    const isRegistration = buttons.get(session) === 'Create';
    const method = isRegistration ? 'create' : 'get';
    const { extensions, ...options } = isRegistration ? creation(pages) : request(pages);
    browser.exchange(`${ORIGIN}/options`, { method }, { status: 200, body: JSON.stringify(options), session });
    observe(session, { kind: 'call', call: 1, method, options, hasField: false });
    const response = await browser.call(method, { ...options, extensions });
    observe(session, { kind: 'ended', call: 1, response });
    responses.push(response);
    if (complains && pages > 2) observe(session, { kind: 'rejection', text: 'NotAllowedError: cancelled' });
    const { transports: _, ...rest } = asObject(response['response']);
    browser.exchange(`${ORIGIN}/finish`, keepsTransports ? response : { ...response, response: rest }, { ...ACCEPTED, session });
    busy -= 1;
  }
  return { ...browser, responses, mostOpen: () => open.most };
}

async function check(browser: Awaited<ReturnType<typeof playShop>>, argv: readonly string[], { folder = '', env = {} } = {}) {
  const cwd = folder === '' ? await tempFolder() : folder;
  await writeFile(join(cwd, 'flow.json'), JSON.stringify(FLOWS));
  const { io, written, signals } = fakeIo({ cwd, env });
  const words = ['browse', `${ORIGIN}/shop`, ...argv, '--check', '--flow', 'flow.json', '--browser', browser.program];
  const ended = run(words, io);
  return { cwd, signals, written, ended };
}

const judged = (list: readonly JsonObject[]) =>
  list.map(({ id, cause, status, known, known_by, tolerated, cases }) => ({ id, cause, status, known, known_by, tolerated, cases }));
const result = (id: string, cause: string, more: JsonObject = {}) => ({ id, cause, status: 'failed', ...more });
const finding = (cause: string, cases: readonly string[], more: JsonObject = {}) => ({ cause, cases, ...more });

describe.skipIf(process.platform === 'win32')('passkey browse --check', () => {
  test('finds what a page does wrong, except what a baseline has', async () => {
    const faulty = { keepsTransports: false, complains: true };
    const browser = await playShop(faulty);
    const flags = [
      '--write-baseline',
      'known.json',
      '--reporter',
      'pretty',
      '--reporter',
      'junit=page.xml',
      '--fail-on',
      'note',
      '--headless',
    ];
    const first = await check(browser, ['register.honest', 'register.cancelled', ...flags], { env: { FORCE_COLOR: '1' } });
    expect(await first.ended).toBe(1);
    expect(first.written.stderr).toBe(
      `passkey browse: checking ${ORIGIN}/shop. The flows are played once unchanged, then once for each case.\n`,
    );
    expect(first.written.stdout).toContain('\u001b[31m');
    const plain = stripVTControlCharacters(first.written.stdout);
    expect(plain.match(/^ *✗ [\w.]+/gm)).toEqual([
      '✗ register.honest',
      '✗ register.cancelled',
      '  ✗ register.honest',
      '  ✗ register.cancelled',
    ]);
    expect(plain).toContain('transports-dropped: The page drops transports');
    expect(plain).toMatch(/\n0 of 2 as expected, 2 not; against https:\/\/shop\.example\.org\/shop, 0\.00 s\n$/);
    expect(await readFile(join(first.cwd, 'page.xml'), 'utf8')).toContain('<testsuites');
    const [path = ''] = browser.commands('Extensions.loadUnpacked').map(({ params }) => String(params['path']));
    expect([browser.argv()?.includes('--headless'), basename(path), existsSync(dirname(path))]).toEqual([true, 'extension', false]);
    expect(browser.responses.map(({ authenticatorAttachment }) => authenticatorAttachment)).toEqual(['platform', 'platform', 'platform']);

    const known = [
      'register.honest',
      'register.cancelled',
      'register.security-error',
      '--baseline',
      'known.json',
      '--fail-on',
      'note',
      '--json',
    ];
    const again = await playShop(faulty);
    const second = await check(again, known, { folder: first.cwd });
    expect(await second.ended).toBe(1);
    const { results, findings, summary, baseline, ...report } = JSON.parse(second.written.stdout);
    expect(again.argv()).not.toContain('--headless');
    expect(report).toEqual({
      format: 'passkey-page-report',
      version: 1,
      tool_version: version(),
      target: `${ORIGIN}/shop`,
      started_at: '2026-01-15T10:30:00.000Z',
      duration_ms: 0,
    });
    expect(judged(results)).toEqual([
      result('register.honest', 'transports-dropped', { known: true, known_by: 'baseline' }),
      result('register.cancelled', 'rejection-unhandled', { known: true, known_by: 'baseline' }),
      result('register.security-error', 'rejection-unhandled'),
    ]);
    expect(judged(findings)).toEqual([
      finding('transports-dropped', ['register.honest'], { known: true }),
      finding('rejection-unhandled', ['register.cancelled', 'register.security-error']),
    ]);
    expect(summary).toMatchObject({ total: 3, failed: 3, known: 2 });
    expect(baseline).toEqual({ target: `${ORIGIN}/shop`, started_at: report.started_at, fixed: [], missing: [] });
  });

  test('tolerates a note; --jobs and --persona count for the pages', async () => {
    const browser = await playShop({ keepsTransports: false, complains: true });
    const flags = ['--json', '--persona', 'yubikey-5'];
    const { ended, written } = await check(browser, ['register.honest', 'register.cancelled', 'login.cancelled', ...flags, '--jobs', '1']);
    expect(await ended).toBe(1);
    const { results, findings, summary, ...report } = JSON.parse(written.stdout);
    expect(report).not.toHaveProperty('baseline');
    expect(judged(results)).toEqual([
      result('register.honest', 'transports-dropped'),
      result('register.cancelled', 'rejection-unhandled', { tolerated: true }),
      result('login.cancelled', 'rejection-unhandled', { tolerated: true }),
    ]);
    expect(judged(findings)).toEqual([
      finding('transports-dropped', ['register.honest']),
      finding('rejection-unhandled', ['register.cancelled', 'login.cancelled'], { tolerated: true }),
    ]);
    expect(summary).toMatchObject({ total: 3, failed: 3, tolerated: 2 });
    expect(browser.mostOpen()).toBe(1);
    expect(new Set(browser.responses.map(({ authenticatorAttachment }) => authenticatorAttachment))).toEqual(new Set(['cross-platform']));
  });

  test('passes a page that does nothing wrong', async () => {
    const browser = await playShop({ keepsTransports: true, complains: false });
    const { ended, written } = await check(browser, ['register.honest', 'login.honest', '--reporter', 'brief']);
    expect(await ended).toBe(0);
    expect(written.stdout).toBe(`passes: 2 of 2 as expected; against ${ORIGIN}/shop, 0.00 s\n`);
  });

  test('is interrupted while a page loads', async () => {
    const browser = await playShop({ keepsTransports: true, complains: false, loads: false });
    const { ended, signals, written } = await check(browser, ['register.honest']);
    await until(() => browser.commands('Page.navigate').length > 0);
    signals.emit('SIGTERM');
    expect(await ended).toBe(143);
    expect([written.stdout, written.stderr.split('\n').at(-2)]).toEqual(['', 'passkey: Interrupted; nothing was changed.']);
  });

  test('refuses a report that cannot be written before a browser opens', async () => {
    const browser = await playShop({ keepsTransports: true, complains: false });
    const { ended, written } = await check(browser, ['--reporter', 'json=flow.json/report.json']);
    expect([await ended, browser.argv()]).toEqual([2, undefined]);
    expect(written.stderr).toMatch(/^passkey: --reporter json: cannot write flow\.json\/report\.json \(E\w+\)\. Choose another file\.\n$/);
  });
});
