import type { AccessGuard } from '../access.js';
import type { App } from '../app-instance.js';
import type { AppOptions } from '../app-options.js';
import { createDevelopmentGuard } from '../development-guard.js';
import { addDevFixtureRoute } from './development-fixtures.js';
import { addDevOptionsRoutes } from './development-options.js';
import { addDevPasskeyRoutes } from './development-passkeys.js';
import { addDevSignInRoutes } from './development-sign-in.js';
import { addDevTimelineRoute } from './development-timeline.js';

/** `/dev/*`: what the test page needs and no application may. Development mode only, outside OpenAPI. */
export function addDevelopmentRoutes(app: App, options: AppOptions, guard: AccessGuard): void {
  const development = createDevelopmentGuard(options.settings, guard);
  addDevSignInRoutes(app, options, { guard, development });
  addDevOptionsRoutes(app, options, { guard, development });
  addDevPasskeyRoutes(app, options, { guard, development });
  addDevTimelineRoute(app, options, development);
  addDevFixtureRoute(app, options, development);
}
