import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { EndedCeremony } from '../../src/browse/ceremony.js';
import { followBrowser } from '../../src/browse/follow.js';
import { tempFolder } from '../cli/temp-folder.js';
import { type Replies, type Reply, startBrowser, time } from './scripted-browser.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
});

const NOW = Date.UTC(2026, 0, 15);
const ORIGIN = 'https://shop.example';

async function follow({ watch, replies = {} }: { readonly watch?: boolean; readonly replies?: Replies } = {}) {
  const browser = startBrowser(replies);
  const folder = await tempFolder();
  const ended: EndedCeremony[] = [];
  const prepared: string[] = [];
  const leave = await followBrowser(browser.devtools, folder, {
    ...(watch !== undefined && { watch }),
    now: () => NOW,
    answer: async ({ options }) => ({ persona: 'plain', tamper: null, response: { id: options['challenge'] } }),
    onEnded: (ceremony) => void ended.push(ceremony),
    onUnjudged: (_, cause) => {
      throw cause;
    },
    prepare: async (session) => void prepared.push(session),
  });
  browser.tell('Target.attachedToTarget', { sessionId: 'page', targetInfo: { type: 'page' } });
  await nextTurn();
  const methods = (session: string) => browser.sent.filter(({ sessionId }) => sessionId === session).map(({ method }) => method);
  return { ...browser, folder, ended, prepared, leave, methods };
}

const PREPARED = ['Network.enable', 'Page.enable', 'Runtime.enable', 'Page.addScriptToEvaluateOnNewDocument', 'Runtime.addBinding'];

test('prepares every page, and answers its calls by the extension', async () => {
  const { folder, prepared, methods, readMark, tell, commands, leave, ended } = await follow();
  expect(await readdir(folder)).toEqual(['extension']);
  expect(commands('Extensions.loadUnpacked')).toMatchObject([{ params: { path: join(folder, 'extension') } }]);
  expect(prepared).toEqual(['page']);
  expect(new Set(methods('page'))).toEqual(new Set([...PREPARED, 'Target.setAutoAttach', 'Runtime.runIfWaitingForDebugger']));
  // No page can guess it.
  expect(Buffer.from(String(readMark('page')['id']), 'base64url')).toHaveLength(32);
  const options = { challenge: 'AQ', extensions: { remoteDesktopClientOverride: { origin: ORIGIN } } };
  const payload = JSON.stringify({ call: 'get', requestId: 4, requestDetailsJson: JSON.stringify(options) });
  tell('Runtime.bindingCalled', { name: 'passkeyBrowse', payload }, 'worker');
  await nextTurn();
  expect(commands('Runtime.evaluate').at(-1)?.params['expression']).toBe(
    'chrome.webAuthenticationProxy.completeGetRequest({"requestId":4,"responseJson":"{\\"id\\":\\"AQ\\"}"})',
  );
  await leave();
  expect(ended).toMatchObject([{ number: 1, at: NOW, origin: ORIGIN, response: { id: 'AQ' }, persona: 'plain' }]);
  expect(commands('Extensions.uninstall')).toHaveLength(1);
  expect(commands('Page.addScriptToEvaluateOnNewDocument').at(-1)?.params['source']).toMatch(
    /^dispatchEvent\(new Event\('passkey-undo-[\w-]+'\)\)$/,
  );
});

test('answers a conditional call when the user picks', async () => {
  const { readMark, tell, commands, leave, ended } = await follow();
  const options = {
    challenge: 'AQ',
    allowCredentials: [readMark('page')],
    extensions: { remoteDesktopClientOverride: { origin: ORIGIN } },
  };
  const payload = JSON.stringify({ call: 'get', requestId: 4, requestDetailsJson: JSON.stringify(options) });
  tell('Runtime.bindingCalled', { name: 'passkeyBrowse', payload }, 'worker');
  await nextTurn();
  const before = commands('Runtime.evaluate').length;
  tell('Runtime.bindingCalled', { name: 'pickPasskey', payload: '' }, 'page');
  await nextTurn();
  expect(commands('Runtime.evaluate').length).toBe(before + 1);
  await leave();
  expect(ended).toMatchObject([{ isConditional: true, options: { challenge: 'AQ', allowCredentials: [] }, response: { id: 'AQ' } }]);
});

test.each([true, false])('of a browser that is watched (%s), the authenticators stay its own', async (watch) => {
  const { folder, commands, methods, prepared, leave } = await follow({ watch });
  expect([await readdir(folder), prepared]).toEqual([watch ? [] : ['extension'], ['page']]);
  expect(commands('Page.addScriptToEvaluateOnNewDocument')).toHaveLength(watch ? 0 : 2);
  if (watch) expect(methods('page')).toEqual(['Network.enable', 'Target.setAutoAttach', 'Runtime.runIfWaitingForDebugger']);
  await leave();
  expect(commands('Extensions.uninstall')).toHaveLength(watch ? 0 : 1);
});

test('the time of a request that has none is the time now', async () => {
  const { tell, leave, ended } = await follow({ watch: true });
  const response = { clientDataJSON: 'AAAA', authenticatorData: 'AQ', signature: 'Ag' };
  const postData = JSON.stringify({ id: 'AAAA', rawId: 'AAAA', type: 'public-key', response });
  const request = { method: 'POST', url: `${ORIGIN}/finish`, hasPostData: true, postData, headers: { Origin: ORIGIN } };
  tell('Network.requestWillBeSent', { requestId: '7', request }, 'page');
  tell('Network.loadingFailed', { requestId: '7' }, 'page');
  await nextTurn();
  await leave();
  expect(ended).toMatchObject([{ at: NOW, origin: ORIGIN, exchange: { at: NOW, status: 0 } }]);
});

test('a browser that hangs has two seconds to give the pages and the authenticators back', async () => {
  let hangs = false;
  const silent = (): Reply => (hangs ? undefined : { result: {} });
  const { leave } = await follow({ replies: { 'Page.enable': silent } });
  hangs = true;
  expect(await time(leave())).toEqual({ spent: 2_000 });
});
