import { describe, expect, test } from 'vitest';
import { createWorld } from './world.js';

const SHOP = 'https://shop.example';

describe('with an expected top origin', () => {
  test.each([
    ['no iframe', {}, undefined],
    ['an iframe of it', { crossOrigin: true, topOrigin: SHOP }, undefined],
    ['an iframe, by a client that does not say of what', { crossOrigin: true }, undefined],
    ['an iframe of another', { crossOrigin: true, topOrigin: 'https://evil.example' }, 'top_origin_mismatch'],
    ['it, but no iframe', { topOrigin: SHOP }, 'top_origin_mismatch'],
  ])('%s is judged alike at both ceremonies', async (_, fields, code) => {
    const world = createWorld({ policy: { topOrigins: [SHOP] } });
    const registration = world.register(fields);
    await (code === undefined ? expect(registration).resolves.toBeDefined() : expect(registration).rejects.toMatchObject({ code }));
    const other = createWorld({ policy: { topOrigins: [SHOP] } });
    await other.register();
    const authentication = other.authenticate(fields);
    await (code === undefined ? expect(authentication).resolves.toBeDefined() : expect(authentication).rejects.toMatchObject({ code }));
  });
});
