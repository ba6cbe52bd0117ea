import { describe, expect, test } from 'vitest';
import { canShowPage } from '../../../src/cli/serve/browser.js';
import { fakeIo } from '../fake-io.js';

const rows: [name: string, terminal: boolean, env: Record<string, string>, platform: NodeJS.Platform, shows: boolean][] = [
  ['macOS', true, {}, 'darwin', true],
  ['Windows', true, {}, 'win32', true],
  ['Linux with X11', true, { DISPLAY: ':0' }, 'linux', true],
  ['Linux with Wayland', true, { WAYLAND_DISPLAY: 'wayland-0' }, 'linux', true],
  ['WSL', true, { WSL_DISTRO_NAME: 'Debian' }, 'linux', true],
  ['Linux without display', true, {}, 'linux', false],
  ['CI', true, { CI: 'true' }, 'darwin', false],
  ['CI=false', true, { CI: 'false' }, 'darwin', true],
  ['no terminal', false, { DISPLAY: ':0' }, 'linux', false],
];

describe('the page is opened only where somebody sees it', () => {
  test.each(rows)('%s', (_, terminal, env, platform, shows) => {
    expect(canShowPage(fakeIo({ terminal, env }).io, platform)).toBe(shows);
  });
});
