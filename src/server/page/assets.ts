import { css, html, js } from './assets.generated.js';

export interface PageAsset {
  readonly path: '/' | '/page.css' | '/page.js';
  readonly contentType: string;
  readonly body: string;
}

/** The browser test page: three files that nothing else is loaded with. */
export const pageAssets: readonly PageAsset[] = [
  { path: '/', contentType: 'text/html; charset=utf-8', body: html },
  { path: '/page.css', contentType: 'text/css; charset=utf-8', body: css },
  { path: '/page.js', contentType: 'text/javascript; charset=utf-8', body: js },
];

/** Headers of all three. No inline script or style runs, nothing is loaded from elsewhere, and no text becomes HTML. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
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
