import * as Type from 'typebox';
import { PasskeyError } from '../../errors.js';
import type { App, AppOptions, PageFiles } from '../options.js';
import { docsPath, type ServerSettings, testPagePath } from '../settings.js';

const ScriptParams = Type.Object({ file: Type.String({ maxLength: 64 }) });

const DocsParams = Type.Object({ folder: Type.Optional(Type.String()), page: Type.String() });

const FILES = [
  { path: undefined, name: 'html', contentType: 'text/html; charset=utf-8' },
  { path: '/page.css', name: 'css', contentType: 'text/css; charset=utf-8' },
  { path: '/page.js', name: 'js', contentType: 'text/javascript; charset=utf-8' },
] as const;

/**
 * HTTP headers of the test page, its scripts and its styles. They forbid inline scripts and styles, anything from other origins, and the
 * conversion of strings to HTML.
 */
const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'permissions-policy': 'publickey-credentials-create=(self), publickey-credentials-get=(self), clipboard-write=(self)',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-cache',
};

const DOCS_POLICY = "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Adds the routes of the documentation: pages without scripts, and their style sheet. */
export function addDocsRoute(app: App, loadDocs: NonNullable<AppOptions['docs']>, settings: ServerSettings): void {
  const schema = { hide: true, params: DocsParams };
  const root = docsPath(settings);
  for (const path of ['', '/']) {
    app.get(`${root}${path}`, { schema: { hide: true } }, (_request, reply) => reply.redirect(`${root}/README`));
  }
  for (const path of ['/:page', '/:folder/:page']) {
    app.get(`${root}${path}`, { schema }, async ({ params }, reply) => {
      const name = [params.folder, params.page].filter(Boolean).join('/');
      const { pages } = await loadDocs();
      const page = Object.hasOwn(pages, name) ? pages[name] : undefined;
      if (page === undefined) {
        throw new PasskeyError('route_not_found', `There is no page ${name.slice(0, 64)}. Open ${root}.`);
      }
      const type = name.endsWith('.css') ? 'text/css' : 'text/html';
      return reply
        .headers({ ...HEADERS, 'content-security-policy': DOCS_POLICY })
        .type(`${type}; charset=utf-8`)
        .send(page);
    });
  }
}

/**
 * Adds the routes of the browser test page. Its files are loaded on the first request, so that a server whose page is never opened does not
 * load them.
 */
export function addPageRoutes(app: App, loadPage: () => Promise<PageFiles>, settings: ServerSettings): void {
  for (const { path = testPagePath(settings), name, contentType } of FILES) {
    app.get(path, { schema: { hide: true } }, async (_request, reply) => {
      const page = await loadPage();
      return reply.headers(HEADERS).type(contentType).send(page[name]);
    });
  }
  const schema = { hide: true, params: ScriptParams };
  app.get('/page/:file', { schema }, async ({ params: { file } }, reply) => {
    const { later } = await loadPage();
    const script = Object.hasOwn(later, file) ? later[file] : undefined;
    if (script === undefined) {
      throw new PasskeyError(
        'route_not_found',
        `The test page has no script ${file}. Reload the page: it comes from another version of the server.`,
      );
    }
    return reply.headers(HEADERS).type('text/javascript; charset=utf-8').send(script);
  });
}
