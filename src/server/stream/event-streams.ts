import { PassThrough, type Readable } from 'node:stream';

const HEARTBEAT = 15_000;
/** Bytes that may wait for a reader. */
const MAX_WAITING = 262_144;
const MAX_STREAMS = 64;

/** Open streams of server-sent events. When a stream is closed here, its `EventSource` reconnects with the id of its last event. */
interface EventStreams {
  /** How many are open: without any, nothing need be made to be sent. */
  readonly size: number;
  /** Starts with `text`. With a topic, the stream gets only messages with that topic. When there are too many, the oldest is closed. */
  open(text: string, topic?: string | null): Readable;
  /** Sends to all streams without a topic or with this one. A stream whose reader has stopped reading is closed: it would fill our memory. */
  send(text: string, topic?: string | null): void;
  end(): void;
}

export function createEventStreams(): EventStreams {
  /** Each with its topic, the oldest first. */
  const streams = new Map<PassThrough, string | null>();

  const write = (stream: PassThrough, text: string) => {
    stream.write(text);
    if (stream.writableLength > MAX_WAITING) giveUp(stream);
  };
  const giveUp = (stream: PassThrough) => {
    streams.delete(stream);
    stream.destroy();
  };

  return {
    get size() {
      return streams.size;
    },
    open(text, topic = null) {
      const stream = new PassThrough();
      const heartbeat = setInterval(() => write(stream, ':\n\n'), HEARTBEAT);
      stream.on('close', () => {
        clearInterval(heartbeat);
        streams.delete(stream);
      });
      // Not limited: the reader has had no time to read it yet.
      stream.write(text);
      streams.set(stream, topic);
      const [oldest] = streams.keys();
      if (streams.size > MAX_STREAMS && oldest !== undefined) giveUp(oldest);
      return stream;
    },
    send(text, topic = null) {
      for (const [stream, wanted] of streams) {
        if (wanted === null || wanted === topic) write(stream, text);
      }
    },
    end() {
      for (const stream of streams.keys()) {
        stream.end();
      }
      streams.clear();
    },
  };
}
