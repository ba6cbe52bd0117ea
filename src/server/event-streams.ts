import { PassThrough, type Readable } from 'node:stream';

const HEARTBEAT = 15_000;
/** Bytes that may wait for a reader that does not read. */
const MAX_WAITING = 262_144;
const MAX_STREAMS = 64;

/** Open streams of server-sent events. A stream that is given up is opened anew by its `EventSource`, with the id of its last event. */
export interface EventStreams {
  /** Beginning with `text`. When there are too many, the oldest is given up. */
  open(text: string): Readable;
  /** To all of them. One whose reader has stopped reading is given up: what waits for it is memory of ours. */
  send(text: string): void;
  end(): void;
}

export function createEventStreams(): EventStreams {
  const streams = new Set<PassThrough>();

  const write = (stream: PassThrough, text: string) => {
    stream.write(text);
    if (stream.writableLength > MAX_WAITING) giveUp(stream);
  };
  const giveUp = (stream: PassThrough) => {
    streams.delete(stream);
    stream.destroy();
  };

  return {
    open(text) {
      const stream = new PassThrough();
      const heartbeat = setInterval(() => write(stream, ':\n\n'), HEARTBEAT);
      stream.on('close', () => {
        clearInterval(heartbeat);
        streams.delete(stream);
      });
      // However much was missed: nobody has had the time to read it yet.
      stream.write(text);
      streams.add(stream);
      const [oldest] = streams;
      if (streams.size > MAX_STREAMS && oldest !== undefined) giveUp(oldest);
      return stream;
    },
    send(text) {
      for (const stream of streams) {
        write(stream, text);
      }
    },
    end() {
      for (const stream of streams) {
        stream.end();
      }
      streams.clear();
    },
  };
}
