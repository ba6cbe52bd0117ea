import type { App } from '../app-instance.js';

/** The browser test page and its assets. They are read when first asked for: tests and other uses of the API never load them. */
export function addPageRoutes(app: App): void {
  for (const path of ['/', '/page.css', '/page.js']) {
    app.get(path, { helmet: { contentSecurityPolicy: false }, schema: { hide: true } }, async (_request, reply) => {
      const { PAGE_HEADERS, pageAssets } = await import('../page/assets.js');
      const asset = pageAssets.find((each) => each.path === path);
      if (asset === undefined) {
        return reply.callNotFound();
      }
      return reply.headers(PAGE_HEADERS).header('cache-control', 'no-cache').type(asset.contentType).send(asset.body);
    });
  }
}
