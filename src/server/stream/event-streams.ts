import { PassThrough, type Readable } from 'node:stream';

const HEARTBEAT = 15_000;
/** Maximum number of bytes that may wait until the reader of a stream reads them. */
const MAX_WAITING = 262_144;
const MAX_STREAMS = 64;

/**
 * The open streams of server-sent events. When the server closes a stream, the `EventSource` at its other end reconnects with the id of its
 * last event.
 */
interface EventStreams {
  /** Number of open streams. If it is 0, the caller need not write a message at all. */
  readonly size: number;
  /**
   * Opens a stream that starts with `text`. A stream with a topic gets only messages with the same topic. When there are too many streams,
   * the oldest stream is closed.
   */
  open(text: string, topic?: string | null): Readable;
  /**
   * Sends a message to all streams that have no topic or the same topic. Closes each stream whose reader has stopped reading, since its
   * waiting messages would fill our memory.
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
