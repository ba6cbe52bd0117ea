import { expect } from 'vitest';
import { ERRORS } from '../../../src/errors.js';
import { Service } from '../app.js';
import { test } from '../service-test.js';

test.each([
  ['/', 'text/html; charset=utf-8'],
  ['/page.css', 'text/css; charset=utf-8'],
  ['/page.js', 'text/javascript; charset=utf-8'],
])('%s is served as %s, with one policy of its own', async (url, type) => {
  await using service = await Service.start();
  const reply = await service.inject({ url });
  expect(reply.statusCode).toBe(200);
  expect(reply.headers['content-type']).toBe(type);
  expect(reply.headers['cache-control']).toBe('no-cache');
  expect(reply.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'/);
  expect(reply.headers['content-security-policy']).toContain("frame-ancestors 'none'");
  expect(reply.headers['x-content-type-options']).toBe('nosniff');
});

test('the page loads what is served beside it, and runs nothing inline', async ({ service }) => {
  const { body } = await service.inject({ url: '/' });
  expect(body).toMatch(/<link[^>]+href="\/page\.css"/);
  expect(body).toMatch(/<script[^>]+src="\/page\.js"/);
  expect(body).not.toMatch(/<script(?![^>]*src=)/);
  expect(body).not.toMatch(/ on[a-z]+=/);
});

test('leads from a problem to its entry in the documentation, also beside a front end', async () => {
  for (const frontEnd of [undefined, 'http://localhost:1']) {
    await using service = await Service.start({ settings: { frontEnd } });
    const problem = await service.post('/api/passkeys/verify/options', {}, { token: null });
    const { origin, pathname, hash } = new URL(problem.json().documentation);
    expect([origin, hash]).toEqual(['http://localhost:7277', '#validation_failed']);
    const page = await service.inject({ url: pathname });
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'/);
    for (const code of Object.keys(ERRORS)) expect(page.body).toContain(`<h3 id="${code}">`);
  }
});

test('the documentation has links to what it serves, and no other', async ({ service }) => {
  const { pages } = await import('../../../generated/docs.js');
  const base = 'http://localhost:7277/docs/';
  const links = Object.entries(pages).flatMap(([name, html]) =>
    [...html.matchAll(/<(?:a|link)[^>]* href="([^"#]+)/g)].map(([, href = '']) => new URL(href, base + name)),
  );
  const own = new Set(links.filter(({ href }) => href.startsWith(base)).map(({ pathname }) => pathname));
  expect(own).toContain('/docs/docs.css');
  for (const url of own) expect([url, (await service.inject({ url })).statusCode]).toEqual([url, 200]);
  expect(pages['quick-start/flask']).toContain('<a href="../README">Documentation</a>');
  expect((await service.inject({ url: '/docs/nothing' })).json()).toMatchObject({ code: 'route_not_found' });
  for (const url of ['/docs', '/docs/']) expect((await service.inject({ url })).headers.location).toBe('/docs/README');
});
