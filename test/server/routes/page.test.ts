import { expect } from 'vitest';
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
