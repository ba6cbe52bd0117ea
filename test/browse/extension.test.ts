import { expect, test } from 'vitest';
import { DevTools } from '../../src/browse/devtools.js';
import { loadExtension } from '../../src/browse/extension.js';
import type { JsonObject } from '../../src/kernel/json-value.js';
import { tempFolder } from '../cli/temp-folder.js';

const ANSWERS: Readonly<Record<string, JsonObject>> = {
  'Extensions.loadUnpacked': { id: 'abc' },
  'Extensions.getExtensions': { extensions: [{ id: 'abc' }] },
  'Target.attachToTarget': { sessionId: 'worker' },
  'Runtime.evaluate': { result: { type: 'object', description: 'ReferenceError: chrome is not defined' }, exceptionDetails: {} },
};

/** A browser that starts the worker of the extension, in which everything throws unless it works. */
function connectTo(worker: 'working' | 'failing' | 'crashing', asked: string[]): DevTools {
  return new DevTools(({ receive }) => ({
    send(text) {
      const { id, method, params } = JSON.parse(text);
      asked.push(method === 'Extensions.uninstall' ? `${method} ${params.id}` : method);
      const tell = (event: string, params: JsonObject) => receive(JSON.stringify({ method: event, params, sessionId: 'worker' }));
      const targetInfo = { type: 'service_worker', url: 'chrome-extension://abc/worker.js', targetId: 'target' };
      if (method === 'Target.setDiscoverTargets') tell('Target.targetCreated', { targetInfo });
      const works = worker === 'working' && method === 'Runtime.evaluate';
      receive(JSON.stringify({ id, result: works ? { result: { type: 'undefined' } } : (ANSWERS[method] ?? {}) }));
      // The script has run after the worker was attached.
      if (method !== 'Runtime.addBinding') return;
      const begin = () => tell('Runtime.bindingCalled', { name: 'passkeyBrowse', payload: '{"call":"started"}' });
      if (worker === 'crashing') tell('Inspector.targetCrashed', {});
      else setImmediate(() => setImmediate(() => asked.push('started') && begin()));
    },
    close() {},
  }));
}

test('an extension that fails in the browser is told, and asked for nothing before its script has run', async () => {
  const folder = await tempFolder();
  const asked: string[] = [];
  await expect(loadExtension(connectTo('failing', asked), folder, () => Promise.reject())).rejects.toMatchObject({
    code: 'target_unreachable',
    message: 'The extension fails in this browser: ReferenceError: chrome is not defined',
  });
  expect(asked.slice(-3)).toEqual(['Runtime.addBinding', 'started', 'Runtime.evaluate']);
});

test('a worker that crashes before it has started is told', async () => {
  const folder = await tempFolder();
  await expect(loadExtension(connectTo('crashing', []), folder, () => Promise.reject())).rejects.toMatchObject({
    message: 'The extension fails in this browser: its worker has crashed.',
  });
});

test('the extension is in the browser until the session ends', async () => {
  const asked: string[] = [];
  const unload = await loadExtension(connectTo('working', asked), await tempFolder(), () => Promise.reject());
  expect(asked).toContain('Extensions.loadUnpacked');
  expect(asked).not.toContain('Extensions.uninstall abc');
  await unload();
  expect(asked.at(-1)).toBe('Extensions.uninstall abc');
});
