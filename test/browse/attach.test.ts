import { expect, onTestFinished, test } from 'vitest';
import { attachBrowser } from '../../src/browse/attach.js';
import { listen } from '../targets/http.js';

test.each(['<!doctype html>', '{}', '{"webSocketDebuggerUrl":"nowhere"}'])('a port that answers %s is no browser', async (body) => {
  const { url, close } = await listen(() => (_request, response) => void response.end(body));
  onTestFinished(close);
  await expect(attachBrowser(url)).rejects.toMatchObject({
    code: 'target_unreachable',
    message: `No browser answers at ${url}. Start it with --remote-debugging-port=9222 --enable-unsafe-extension-debugging.`,
  });
});
