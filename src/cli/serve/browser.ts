import type { Io } from '../io.js';

/** Where a page can be shown and somebody looks at it: a terminal, no CI, and a display. */
export function canShowPage(io: Io, platform: NodeJS.Platform): boolean {
  if (io.stdout.isTTY !== true || (io.env.CI && io.env.CI !== 'false')) return false;
  if (platform === 'darwin' || platform === 'win32') return true;
  // Without a display xdg-open would start a text browser in this terminal.
  return Boolean(io.env.DISPLAY || io.env.WAYLAND_DISPLAY || io.env.WSL_DISTRO_NAME);
}

/** Opens the page; that it did not open is no reason to say anything, the URL is printed anyway. */
export async function openPage(url: string): Promise<void> {
  try {
    const { default: open } = await import('open');
    const child = await open(url);
    child.on('error', () => undefined);
  } catch {
    // No xdg-open, no browser: see above.
  }
}
