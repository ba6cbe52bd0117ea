import { existsSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { launchBrowser } from '../../src/browse/launch.js';
import { runIn } from '../cli/run-in.js';
import { tempFolder } from '../cli/temp-folder.js';
import { until } from '../until.js';

const launch = (PATH: string, browser?: string, headless = true) => launchBrowser({ browser, profile: PATH, headless, env: { PATH } });

// On a system that has one of its own elsewhere, that is found.
test.runIf(process.platform === 'linux')('says what to install where no browser takes the extension', async () => {
  const folder = await tempFolder();
  const advice =
    'Install Chromium, Microsoft Edge or Chrome for Testing (`npx @puppeteer/browsers install chrome`), or give --browser PATH.';
  await expect(launch(folder)).rejects.toMatchObject({
    code: 'configuration_invalid',
    message: `Found no browser that can load the extension. ${advice}`,
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

/** A browser that writes down its arguments and commands, and answers each of them as the script says. Windows has no such script. */
async function writeBrowser(folder: string, script: string): Promise<string> {
  const program = join(folder, 'chromium');
  await writeFile(program, `#!/bin/sh\nprintf '%s\\n' "$@" > '${folder}/arguments'\n${script}`, { mode: 0o755 });
  return program;
}

describe.skipIf(process.platform === 'win32')('a browser that starts', () => {
  const VERSION = `printf '{"id":1,"result":{"product":"Chr' >&4\nprintf 'ome"}}\\000{"method":"A"}\\000{"method":"B"}\\000{"met' >&4\n`;

  test('gets its profile, no sandbox as root, and the messages of both sides whole', async () => {
    const folder = await tempFolder();
    await writeBrowser(folder, `${VERSION}printf 'hod":"C"}\\000' >&4\ncat <&3 > '${folder}/commands'\n`);
    const env = { PATH: ['/bin', '/usr/bin', folder, ''].join(delimiter) };
    const profile = join(folder, 'profile');
    const flags = ['--lang=de'];
    const devtools = await launchBrowser({ browser: join(folder, 'chromium'), profile, headless: true, env, flags });
    void devtools.send('Target.createTarget', { url: 'about:blank' }).catch(() => {});
    devtools.close();
    await devtools.closed;
    const given = (await readFile(join(folder, 'arguments'), 'utf8')).trim().split('\n');
    expect(given.slice(0, 2)).toEqual(['--remote-debugging-pipe', '--enable-unsafe-extension-debugging']);
    const isRoot = process.getuid?.() === 0;
    expect(given.slice(8)).toEqual([
      ...flags,
      `--user-data-dir=${profile}`,
      '--headless',
      ...(isRoot ? ['--no-sandbox'] : []),
      'about:blank',
    ]);
    expect(await readFile(join(folder, 'commands'), 'utf8')).toBe(
      '{"id":1,"method":"Browser.getVersion","params":{}}\0{"id":2,"method":"Target.createTarget","params":{"url":"about:blank"}}\0',
    );
  });

  test('is the first of the path; with a window it has no flag for none', async () => {
    const [first, second] = [await tempFolder(), await tempFolder()];
    for (const folder of [first, second]) await writeBrowser(folder, `${VERSION}cat <&3 > /dev/null\n`);
    await writeFile(join(second, 'google-chrome'), '');
    const PATH = ['', first, second, '/bin', '/usr/bin'].join(delimiter);
    const devtools = await launchBrowser({ browser: undefined, profile: first, headless: false, env: { PATH } });
    devtools.close();
    await devtools.closed;
    expect(await readFile(join(first, 'arguments'), 'utf8')).not.toContain('--headless');
    expect(existsSync(join(second, 'arguments'))).toBe(false);
    expect(devtools.failure).toBeUndefined();
  });

  test('events are heard in their order', async () => {
    const folder = await tempFolder();
    const program = await writeBrowser(
      folder,
      `printf '{"id":1,"result":{}}\\000' >&4\nhead -c 60 <&3 > /dev/null\nprintf '{"method":"A"}\\000{"met' >&4\nprintf 'hod":"B"}\\000{"method":"C"}\\000' >&4\ncat <&3 > /dev/null\n`,
    );
    const devtools = await launchBrowser({ browser: program, profile: folder, headless: true, env: { PATH: '/bin:/usr/bin' } });
    const heard: string[] = [];
    devtools.on(({ method }) => void heard.push(method));
    void devtools.send('Target.createTarget', { url: 'about:blank' }).catch(() => {});
    await until(() => heard.length === 3);
    expect(heard).toEqual(['A', 'B', 'C']);
    devtools.close();
    await devtools.closed;
  });

  test('and hangs when it should end is killed after three seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const folder = await tempFolder();
    const program = await writeBrowser(folder, `${VERSION}exec sleep 600\n`);
    const devtools = await launchBrowser({ browser: program, profile: folder, headless: true, env: { PATH: '/bin:/usr/bin' } });
    expect(vi.getTimerCount()).toBe(0);
    devtools.close();
    vi.advanceTimersByTime(2_999);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(1);
    await devtools.closed;
    expect(vi.getTimerCount()).toBe(0);
  });

  test('one that says nothing for thirty seconds is killed, and named', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const folder = await tempFolder();
    const program = await writeBrowser(folder, 'exec sleep 600\n');
    const launching = launchBrowser({ browser: program, profile: folder, headless: true, env: { PATH: '/bin:/usr/bin' } });
    launching.catch(() => {});
    vi.advanceTimersByTime(29_999);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(1);
    await expect(launching).rejects.toMatchObject({ code: 'configuration_invalid', cause: { code: 'target_unreachable' } });
  });
});

test.runIf(process.platform === 'linux').each([
  [{ DISPLAY: ':0' }, ''],
  [{ WAYLAND_DISPLAY: 'wayland-0' }, ''],
  [{ DISPLAY: '' }, ', or --headless: DISPLAY is not set'],
])('%j: advises%s', async (display, advice) => {
  const program = join(await tempFolder(), 'absent');
  await expect(launchBrowser({ browser: program, profile: program, headless: false, env: display })).rejects.toMatchObject({
    message: `${program} does not start as a browser. Give --browser the path of a Chromium${advice}.`,
  });
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
