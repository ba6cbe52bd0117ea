import type { JSX } from 'preact';
import { useAppState } from '../use-app.js';

/** Reasons why passkeys will not work here, at the top of the page. */
export function Notices(): JSX.Element {
  const notices = useAppState((state) => state.notices);
  return (
    <div id="notices" class="notices" role="alert">
      {notices.map(({ severity, title, detail, link }) => (
        <div key={title} class={`notice ${severity}`}>
          <strong>{title}</strong> {detail} {link !== undefined && <a href={link}>Open {link}</a>}
        </div>
      ))}
    </div>
  );
}
