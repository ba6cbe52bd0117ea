import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { launchBrowser } from '../../src/browse/launch.js';
import { runIn } from '../cli/run-in.js';
import { tempFolder } from '../cli/temp-folder.js';

const launch = (PATH: string, browser?: string, headless = true) => launchBrowser({ browser, profile: PATH, headless, env: { PATH } });

// On a system that has one of its own elsewhere, that is found.
test.runIf(process.platform === 'linux')('says what to install where no browser takes the extension', async () => {
  const folder = await tempFolder();
  const advice =
    'Install Chromium, Microsoft Edge or Chrome for Testing (`npx @puppeteer/browsers install chrome`), or give --browser PATH.';
  await expect(launch(folder)).rejects.toMatchObject({
    code: 'configuration_invalid',
    message: `Found no browser that takes the extension. ${advice}`,
  });
  const branded = join(folder, 'google-chrome');
  await writeFile(branded, '');
  await expect(launch(folder)).rejects.toMatchObject({ message: `Found only ${branded}, which may refuse the extension. ${advice}` });
});

test('names a program that is no browser, and one that is not there, and waits no longer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const folder = await tempFolder();
  const program = join(folder, 'program');
  await writeFile(program, '#!/bin/sh\n');
  await chmod(program, 0o755);
  for (const path of [program, join(folder, 'absent')]) {
    await expect(launch(folder, path)).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: `${path} does not start as a browser. Give --browser the path of a Chromium.`,
    });
  }
  expect(vi.getTimerCount()).toBe(0);
  if (process.platform !== 'linux') return;
  const message = `${program} does not start as a browser. Give --browser the path of a Chromium, or --headless: DISPLAY is not set.`;
  await expect(launch(folder, program, false)).rejects.toMatchObject({ message });
});

test.for([
  ['--credentials', 3, 'bytes'],
  ['--record', 2, '--record expects a folder'],
] as const)('names what %s cannot use before a browser opens', async ([flag, code, said]) => {
  const cwd = await tempFolder();
  await writeFile(join(cwd, 'bytes'), Uint8Array.of(0, 1, 2));
  const result = await runIn(cwd, ['browse', 'http://localhost', flag, 'bytes', '--browser', 'absent']);
  expect(result).toMatchObject({ code, stderr: expect.stringContaining(said) });
});
