import { byId, h } from '../dom.js';
import type { App } from '../flow/app.js';

/** What stands in the way of passkeys here, above everything else. */
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
