import type { FrontEnd } from '../allowed-methods.js';
import type { App } from '../options.js';
import type { ServerSettings } from '../settings.js';
import { forwardTo } from './dev-server.js';
import { serveFolder } from './folder.js';

/**
 * Serves a front end on the origin of this server, so that the front end needs no CORS. The front end is a folder of files, or a dev server
 * whose responses are passed on.
 */
export function createFrontEnd(app: App, settings: ServerSettings): FrontEnd | undefined {
  const { frontEnd, mode } = settings;
  if (frontEnd === undefined || mode === 'production') return undefined;
  const { answer, ...others } = /^https?:/.test(frontEnd) ? forwardTo(app, new URL(frontEnd), settings) : serveFolder(frontEnd);
  return {
    ...others,
    async answer(request, reply) {
      // The policy of this server is for its own answers: a front end may load and frame what it likes.
      for (const name of reply.raw.getHeaderNames()) reply.raw.removeHeader(name);
      return await answer(request, reply);
    },
  };
}
