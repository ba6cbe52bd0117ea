import * as Type from 'typebox';
import { nameOwner } from '../../kernel/owner.js';
import { formatTimestamp } from '../../kernel/wording.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import type { RelyingPartyEvent } from '../../relying-party/events.js';
import { passkeyBody } from '../../relying-party/passkey-document.js';
import { confinedTo, type DevelopmentGuard } from '../development-guard.js';
import type { App, AppOptions } from '../options.js';
import { createEventStreams } from '../stream/event-streams.js';
import type { Stream } from '../stream/stream.js';

const Query = Type.Object({ after: Type.Optional(Type.String()) });

/** Number of events that are kept for clients that reconnect after missing them. */
const KEPT = 200;

/** Milliseconds between two checks for changes that emit no events. The checks run only while a client listens. */
const PAUSE = 1_000;

interface Message {
  readonly id: string;
  /** The owner of the ceremony or passkey as `TYPE:ID`, if known. */
  readonly owner: string | null;
  readonly text: () => string;
}

/**
 * Adds `GET /dev/events`, which sends the events of the relying party live, as server-sent events. `?after=ID` (or `Last-Event-ID`, which
 * takes precedence) starts with the kept events after that one. An unknown id, such as `0`, starts with all kept events. Challenges are
 * left out, since they are still valid. A bearer token gives access only to the events of the token's user. A change of a stream entry is
 * sent as `stream` but not kept, so a client that missed one must request `GET /dev/stream`.
 */
export function addDevTimelineRoute(
  app: App,
  { relyingParty, now }: AppOptions,
  { guard: { localOrBearer }, stream }: { readonly guard: DevelopmentGuard; readonly stream: Stream },
): void {
  const streams = createEventStreams();
  // Keeps ids from before a restart apart from those after it.
  const server = now().toString(36);
  const kept: Message[] = [];
  let last = 0;

  const stop = relyingParty.on((event) => {
    const id = `${server}-${++last}`;
    const entry = timelineEntry(event);
    const text = () => `event: ${event.type}\ndata: ${JSON.stringify(entry)}\nid: ${id}\n\n`;
    kept.push({ id, owner: entry.owner, text });
    if (kept.length > KEPT) kept.shift();
    if (streams.size > 0) streams.send(text(), entry.owner);
  });

  const stopStream = stream.book.on((change) => {
    if (streams.size === 0) return;
    if (change === 'cleared') streams.send('event: stream-cleared\ndata: {}\n\n');
    else streams.send(`event: stream\ndata: ${JSON.stringify(change)}\n\n`, change.owner);
  });
  let looks: NodeJS.Timeout | undefined;

  app.get(
    '/dev/events',
    { onRequest: localOrBearer, exposeHeadRoute: false, schema: { hide: true, querystring: Query } },
    async (request, reply) => {
      looks ??= setInterval(() => void stream.book.refresh(), PAUSE).unref();
      const header = request.headers['last-event-id'];
      const after = typeof header === 'string' ? header : request.query.after;
      const missed = after === undefined ? [] : kept.slice(kept.findIndex(({ id }) => id === after) + 1);
      const own = nameOwner(confinedTo(request));
      const texts = missed.filter(({ owner }) => own === null || owner === own).map(({ text }) => text());
      const beginning = [': passkey timeline\n\n', ...texts].join('');
      return reply.type('text/event-stream').send(streams.open(beginning, own));
    },
  );

  // An open stream would keep the server from closing.
  app.addHook('preClose', async () => streams.end());
  app.addHook('onClose', async () => {
    stop();
    stopStream();
    clearInterval(looks);
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
    return { kind, rp_id: rpId, origins, owner: nameOwner(owner), passkey: null };
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
      owner: nameOwner(passkey?.owner ?? owner),
      passkey: shown(passkey),
    };
  }
  return { rp_id: event.passkey.rpId, owner: nameOwner(event.passkey.owner), passkey: shown(event.passkey) };
}

function shown(passkey: Passkey | undefined) {
  return passkey === undefined ? null : passkeyBody(passkey);
}
