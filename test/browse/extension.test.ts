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

/** A browser that starts the worker of the extension, in which everything throws. */
function connectToFailing(asked: string[], crashes = false): DevTools {
  return new DevTools(({ receive }) => ({
    send(text) {
      const { id, method } = JSON.parse(text);
      asked.push(method);
      const tell = (event: string, params: JsonObject) => receive(JSON.stringify({ method: event, params, sessionId: 'worker' }));
      const targetInfo = { type: 'service_worker', url: 'chrome-extension://abc/worker.js', targetId: 'target' };
      if (method === 'Target.setDiscoverTargets') tell('Target.targetCreated', { targetInfo });
      receive(JSON.stringify({ id, result: ANSWERS[method] ?? {} }));
      // The script has run after the worker was attached.
      if (method !== 'Runtime.addBinding') return;
      const begin = () => tell('Runtime.bindingCalled', { name: 'passkeyBrowse', payload: '{"call":"started"}' });
      if (crashes) tell('Inspector.targetCrashed', {});
      else setImmediate(() => setImmediate(() => asked.push('started') && begin()));
    },
    close() {},
  }));
}

test('an extension that fails in the browser is told, and asked for nothing before its script has run', async () => {
  const folder = await tempFolder();
  const asked: string[] = [];
  await expect(loadExtension(connectToFailing(asked), folder, () => Promise.reject())).rejects.toMatchObject({
    code: 'target_unreachable',
    message: 'The extension fails in this browser: ReferenceError: chrome is not defined',
  });
  expect(asked.slice(-3)).toEqual(['Runtime.addBinding', 'started', 'Runtime.evaluate']);
});

test('a worker that crashes before it has started is told', async () => {
  const folder = await tempFolder();
  await expect(loadExtension(connectToFailing([], true), folder, () => Promise.reject())).rejects.toMatchObject({
    message: 'The extension fails in this browser: its worker has crashed.',
  });
});
