import { useEffect } from 'preact/hooks';
import { tabFace } from '../items.js';
import { useItems } from '../use-app.js';

/** Shows the result of the newest ceremony in the tab's title and icon, so that it is visible even while another window is in front. */
export function useTabFace(): void {
  const { title, tone } = tabFace(useItems());
  useEffect(() => {
    document.title = title;
    document.querySelector('link[rel=icon]')?.setAttribute('href', drawIcon(tone));
  }, [title, tone]);
}

/** Icon colours that can be seen on every background that browsers use for tabs. */
const COLOURS = { plain: '#6b63d8', accent: '#6b63d8', good: '#12894f', bad: '#d0302c', warn: '#b97d00' } as const;

function drawIcon(tone: keyof typeof COLOURS): string {
  const key = '<path d="M13 22.5a8 8 0 1 1 7.6-10.3M20.9 15H31M27 15v5"/><circle cx="13" cy="14.5" r="2.6"/>';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 34 30"><g fill="none" stroke="${COLOURS[tone]}" stroke-width="4" stroke-linecap="round">${key}</g></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
