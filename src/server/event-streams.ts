import { PassThrough, type Readable } from 'node:stream';

const HEARTBEAT = 15_000;
/** Bytes that may wait for a reader that does not read. */
const MAX_WAITING = 262_144;
const MAX_STREAMS = 64;

/** Open streams of server-sent events. A stream that is given up is opened anew by its `EventSource`, with the id of its last event. */
export interface EventStreams {
  /** Beginning with `text`. A topic confines the stream to what is sent with it. When there are too many, the oldest is given up. */
  open(text: string, topic?: string | null): Readable;
  /** To all that are confined to no topic or to this one. One whose reader has stopped reading is given up: what waits for it is memory of ours. */
  send(text: string, topic?: string | null): void;
  end(): void;
}

export function createEventStreams(): EventStreams {
  /** Each with its topic, in the order in which they were opened. */
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
    open(text, topic = null) {
      const stream = new PassThrough();
      const heartbeat = setInterval(() => write(stream, ':\n\n'), HEARTBEAT);
      stream.on('close', () => {
        clearInterval(heartbeat);
        streams.delete(stream);
      });
      // However much was missed: nobody has had the time to read it yet.
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
