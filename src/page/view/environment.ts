import { byId, h, hint, replace } from '../dom.js';
import type { App } from '../flow/app.js';

/** Reasons why passkeys will not work here, at the top of the page. */
export function mountNotices(app: App): void {
  const root = byId('notices', HTMLDivElement);
  app.store.watch(['notices'], ({ notices }) => {
    root.replaceChildren(
      ...notices.map(({ severity, title, detail, link }) =>
        h(
          'div',
          { class: `notice ${severity}` },
          h('strong', {}, title),
          ` ${detail} `,
          link === undefined ? undefined : h('a', { href: link }, `Open ${link}`),
        ),
      ),
    );
  });
}

/** The result of `PublicKeyCredential.getClientCapabilities()` (WebAuthn L3 §5.1.7). */
export function mountCapabilities(app: App): void {
  const root = byId('capabilities', HTMLDivElement);
  app.store.watch(['capabilities'], ({ capabilities }) => {
    const entries = Object.entries(capabilities).sort(([a], [b]) => a.localeCompare(b));
    replace(
      root,
      entries.length === 0
        ? hint('Unknown: this browser has no getClientCapabilities().')
        : h(
            'ul',
            { class: 'capabilities' },
            ...entries.map(([name, has]) =>
              h('li', { class: has ? 'yes' : 'no' }, h('span', { class: 'badge' }, has ? 'yes' : 'no'), ' ', h('span', {}, name)),
            ),
          ),
      hint(navigator.userAgent),
    );
  });
}

/** Empty where the browser has no way to ask. */
export async function readCapabilities(): Promise<Readonly<Record<string, boolean>>> {
  if (!('PublicKeyCredential' in window)) {
    return {};
  }
  const told: Record<string, boolean> =
    typeof PublicKeyCredential.getClientCapabilities === 'function' ? { ...(await PublicKeyCredential.getClientCapabilities()) } : {};
  if (Object.keys(told).length === 0) {
    told['userVerifyingPlatformAuthenticator'] = await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable();
  }
  return told;
}
