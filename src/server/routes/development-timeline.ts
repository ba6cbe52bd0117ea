import type { FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import type { Passkey } from '../../relying-party/credential-record.js';
import type { RelyingPartyEvent } from '../../relying-party/events.js';
import type { OwnerRef } from '../../webauthn/user-handle.js';
import type { App } from '../app-instance.js';
import type { AppOptions } from '../app-options.js';
import { createEventStreams } from '../event-streams.js';
import { passkeyBody } from '../passkey-body.js';
import { formatTimestamp } from '../timestamp.js';

/** As many events are kept for whoever asks for those that were missed. */
const KEPT = 200;

interface Message {
  readonly id: string;
  readonly text: string;
}

/**
 * `GET /dev/events`: what the relying party does, live, as server-sent events. `?after=ID` (or `Last-Event-ID`, which goes first)
 * begins with the kept events after that one; an id of another server, such as `0`, with all of them. Challenges are left out: they
 * are still open.
 */
export function addDevTimelineRoute(app: App, { relyingParty, now }: AppOptions, local: (request: FastifyRequest) => Promise<void>): void {
  const streams = createEventStreams();
  // An id of before a restart must not be taken for one of after it.
  const server = now().toString(36);
  const kept: Message[] = [];
  let last = 0;

  const stop = relyingParty.on((event) => {
    const id = `${server}-${++last}`;
    const text = `event: ${event.type}\ndata: ${JSON.stringify(timelineEntry(event))}\nid: ${id}\n\n`;
    kept.push({ id, text });
    kept.splice(0, kept.length - KEPT);
    streams.send(text);
  });

  const querystring = Type.Object({ after: Type.Optional(Type.String()) });
  app.get('/dev/events', { onRequest: local, exposeHeadRoute: false, schema: { hide: true, querystring } }, async (request, reply) => {
    const header = request.headers['last-event-id'];
    const after = typeof header === 'string' ? header : request.query.after;
    const missed = after === undefined ? [] : kept.slice(kept.findIndex(({ id }) => id === after) + 1);
    const texts = missed.map(({ text }) => text);
    return reply.type('text/event-stream').send(streams.open([': passkey timeline\n\n', ...texts].join('')));
  });

  // An open stream would keep the server from closing.
  app.addHook('preClose', async () => streams.end());
  app.addHook('onClose', async () => stop());
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
