import { PassThrough, type Readable } from 'node:stream';

const HEARTBEAT = 15_000;
/** Maximum bytes that may wait for a reader. */
const MAX_WAITING = 262_144;
const MAX_STREAMS = 64;

/** The open streams of server-sent events. When the server closes one, its `EventSource` reconnects with the id of its last event. */
interface EventStreams {
  /** Number of open streams. If there are none, no message need be written. */
  readonly size: number;
  /**
   * Opens a stream that starts with `text`. A stream with a topic gets only messages with that topic. When there are too many streams, the
   * oldest is closed.
   */
  open(text: string, topic?: string | null): Readable;
  /**
   * Sends a message to all streams without a topic, or with this topic. Closes a stream whose reader has stopped reading, which would fill
   * our memory.
   */
  send(text: string, topic?: string | null): void;
  end(): void;
}

export function createEventStreams(): EventStreams {
  /** Each open stream with its topic, the oldest first. */
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
