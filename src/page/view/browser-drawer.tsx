import type { JSX } from 'preact';
import { useAppState } from '../use-app.js';
import { Drawer } from './drawer.js';
import { SHORTCUTS } from './shortcuts.js';

/** Drawer with the capabilities of this browser (WebAuthn L3 §5.1.7) and the keyboard shortcuts of this page. */
export function BrowserDrawer(): JSX.Element {
  const capabilities = useAppState((state) => state.capabilities);
  const entries = Object.entries(capabilities).sort(([a], [b]) => a.localeCompare(b));
  return (
    <Drawer id="browser" title="This browser and keys">
      <h3>What this browser can do</h3>
      {entries.length === 0 ? (
        <p class="hint">Unknown: this browser has no getClientCapabilities().</p>
      ) : (
        <ul id="capabilities">
          {entries.map(([name, has]) => (
            <li key={name}>
              <span class={has ? 'badge good' : 'badge'}>{has ? 'yes' : 'no'}</span> <code>{name}</code>
            </li>
          ))}
        </ul>
      )}
      <p class="hint">{navigator.userAgent}</p>
      <h3>Keys</h3>
      <dl class="keys">
        {SHORTCUTS.map(({ key, does }) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>↑</kbd> <kbd>↓</kbd>
          </dt>
          <dd>Walk through the list; Enter goes to the ceremony</dd>
        </div>
        <div>
          <dt>
            <kbd>Esc</kbd>
          </dt>
          <dd>Close what is open</dd>
        </div>
      </dl>
    </Drawer>
  );
}
