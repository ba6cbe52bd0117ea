import { expect, test } from 'vitest';
import { DevTools } from '../../src/browse/devtools.js';
import { loadExtension } from '../../src/browse/extension.js';
import type { JsonObject } from '../../src/kernel/json-value.js';
import { tempFolder } from '../cli/temp-folder.js';

const THROWN = { result: { type: 'object', description: 'ReferenceError: beat is not defined' }, exceptionDetails: { text: 'Uncaught' } };
const ANSWERS: Readonly<Record<string, JsonObject>> = {
  'Extensions.loadUnpacked': { id: 'abc' },
  'Extensions.getExtensions': { extensions: [{ id: 'abc' }] },
  'Target.attachToTarget': { sessionId: 'worker' },
  'Runtime.evaluate': THROWN,
};

/** A browser that starts the worker of the extension, in which everything throws. */
function connectToFailing(): DevTools {
  return new DevTools(({ receive }) => ({
    send(text) {
      const { id, method } = JSON.parse(text);
      const targetInfo = { type: 'service_worker', url: 'chrome-extension://abc/worker.js', targetId: 'target' };
      if (method === 'Target.setDiscoverTargets') receive(JSON.stringify({ method: 'Target.targetCreated', params: { targetInfo } }));
      receive(JSON.stringify({ id, result: ANSWERS[method] ?? {} }));
    },
    close() {},
  }));
}

test('an extension that fails in the browser is told, and not taken for one that answers', async () => {
  const folder = await tempFolder();
  await expect(loadExtension(connectToFailing(), folder, () => Promise.reject())).rejects.toMatchObject({
    code: 'target_unreachable',
    message: 'The extension fails in this browser: ReferenceError: beat is not defined',
  });
});
