import { PassThrough } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { Passkey } from '../../relying-party/credential-record.js';
import type { RelyingPartyEvent } from '../../relying-party/events.js';
import type { OwnerRef } from '../../webauthn/user-handle.js';
import type { App } from '../app-instance.js';
import type { AppOptions } from '../app-options.js';
import { passkeyBody } from '../passkey-body.js';
import { formatTimestamp } from '../timestamp.js';

const HEARTBEAT = 15_000;

/** `GET /dev/events`: what the relying party does, live, as server-sent events. Challenges are left out: they are still open. */
export function addDevTimelineRoute(app: App, { relyingParty }: AppOptions, local: (request: FastifyRequest) => Promise<void>): void {
  const streams = new Set<PassThrough>();

  app.get('/dev/events', { onRequest: local, exposeHeadRoute: false, schema: { hide: true } }, async (_request, reply) => {
    const stream = new PassThrough();
    const stop = relyingParty.on((event) => {
      stream.write(`event: ${event.type}\ndata: ${JSON.stringify(timelineEntry(event))}\n\n`);
    });
    const heartbeat = setInterval(() => stream.write(':\n\n'), HEARTBEAT);
    streams.add(stream);
    stream.on('close', () => {
      stop();
      clearInterval(heartbeat);
      streams.delete(stream);
    });
    stream.write(': passkey timeline\n\n');
    return reply.type('text/event-stream').send(stream);
  });

  // An open stream would keep the server from closing.
  app.addHook('preClose', async () => {
    for (const stream of streams) {
      stream.end();
    }
  });
}

function timelineEntry(event: RelyingPartyEvent) {
  const { requestId, via, address, userAgent } = event.context;
  return {
    type: event.type,
    at: formatTimestamp(event.at),
    ...details(event),
    context: { request_id: requestId ?? null, via: via ?? null, address: address ?? null, user_agent: userAgent ?? null },
  };
}

function details(event: RelyingPartyEvent) {
  if (event.type === 'ceremony-begun') {
    const { kind, rpId, origins, owner } = event.ceremony;
    return { kind, rp_id: rpId, origins, owner: ownerName(owner), passkey: null };
  }
  if (event.type === 'ceremony-finished') {
    const { kind, outcome, ceremony, passkey, owner, error } = event;
    return {
      kind,
      outcome,
      code: error?.code ?? null,
      message: error?.message ?? null,
      step: error?.step ?? null,
      rp_id: ceremony?.rpId ?? passkey?.rpId ?? null,
      origins: ceremony?.origins ?? [],
      owner: ownerName(passkey?.owner ?? owner),
      passkey: shown(passkey),
    };
  }
  return { rp_id: event.passkey.rpId, owner: ownerName(event.passkey.owner), passkey: shown(event.passkey) };
}

function shown(passkey: Passkey | undefined) {
  return passkey === undefined ? null : passkeyBody(passkey);
}

function ownerName(owner: OwnerRef | undefined): string | null {
  return owner === undefined ? null : `${owner.type}:${owner.id}`;
}
