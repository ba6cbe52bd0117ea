import type { FastifyRequest } from 'fastify';
import { PasskeyError } from '../../errors.js';
import { nameOwner } from '../../kernel/owner.js';
import { confinedTo, type DevelopmentGuard } from '../development-guard.js';
import type { App, AppOptions } from '../options.js';
import { BrowserBody, type StreamDocument, type StreamEntry, StreamParams } from '../schemas/stream.js';
import type { Stream } from '../stream/stream.js';

/**
 * Adds `GET /dev/stream`, `GET /dev/stream/:id`, `DELETE /dev/stream` and `POST /dev/stream/browser`. The stream lists every ceremony at
 * this server, every refused request of its API, and every change of a passkey. A bearer token gives access only to its own user's entries.
 */
export function addDevStreamRoutes(
  app: App,
  { version = '' }: AppOptions,
  { guard: { local, localOrBearer }, stream }: { readonly guard: DevelopmentGuard; readonly stream: Stream },
): void {
  const schema = { hide: true };

  app.get('/dev/stream', { onRequest: localOrBearer, schema }, async (request): Promise<StreamDocument> => {
    return { entries: (await stream.book.list()).filter((entry) => maySeeEntry(request, entry)) };
  });

  app.get('/dev/stream/:id', { onRequest: localOrBearer, schema: { ...schema, params: StreamParams } }, async (request) => {
    const { id } = request.params;
    const found = await stream.book.find(id);
    if (found === undefined || !maySeeEntry(request, found.entry)) {
      throw new PasskeyError(
        'route_not_found',
        'The stream does not have this entry, or no longer has it. GET /dev/stream lists all entries.',
      );
    }
    const { writeDetail } = await import('../stream/detail.js');
    return await writeDetail(found, version);
  });

  app.delete('/dev/stream', { onRequest: local, schema }, async (_request, reply) => {
    stream.book.clear();
    return reply.code(204).send();
  });

  app.post('/dev/stream/browser', { onRequest: localOrBearer, schema: { ...schema, body: BrowserBody } }, async (request, reply) => {
    const { challenge, error, message, milliseconds, software } = request.body;
    const report = { browser: { error, message, milliseconds }, ...(software === undefined ? {} : { software }) };
    if (!stream.noteBrowser(challenge, report, (entry) => maySeeEntry(request, entry))) {
      throw new PasskeyError('route_not_found', 'The stream has no ceremony with this challenge, or no longer has it.');
    }
    return reply.code(204).send();
  });

  app.addHook('onClose', () => stream.close());
}

function maySeeEntry(request: FastifyRequest, { owner }: StreamEntry): boolean {
  const own = confinedTo(request);
  return own === undefined || owner === nameOwner(own);
}
