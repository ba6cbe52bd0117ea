import { test as base } from 'vitest';
import { Service } from './app.js';

/** A test that is given a service with the default settings, which ends with it. */
export const test = base.extend<{ readonly service: Service }>({
  // Vitest reads from the pattern what a fixture needs: this one needs nothing.
  // oxlint-disable-next-line no-empty-pattern
  async service({}, use) {
    await using service = await Service.start();
    await use(service);
  },
});
