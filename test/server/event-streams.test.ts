import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createEventStreams } from '../../src/server/stream/event-streams.js';

const KIBIBYTE = 'x'.repeat(1024);

describe('streams of events', () => {
  test('one that nobody reads is given up when 256 KiB wait for it; the others go on', async () => {
    const streams = createEventStreams();
    const unread = streams.open('first');
    const read = streams.open('first');
    let received = 0;
    read.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    let sent = 0;
    while (!unread.destroyed && sent < 1024) {
      streams.send(KIBIBYTE);
      sent += 1;
      await setImmediate();
    }
    // What its reading side takes comes on top.
    expect(sent).toBeGreaterThan(256);
    expect(sent).toBeLessThan(256 + 128);
    streams.send('last');
    await setImmediate();
    expect(read.destroyed).toBe(false);
    expect(received).toBe(sent * KIBIBYTE.length + 'firstlast'.length);
    streams.end();
  });

  test('what was missed may be more than that', () => {
    const streams = createEventStreams();
    const stream = streams.open(KIBIBYTE.repeat(1024));
    expect(stream.destroyed).toBe(false);
    stream.destroy();
  });

  test('of more than 64 the oldest are given up', () => {
    const streams = createEventStreams();
    const open = Array.from({ length: 67 }, () => streams.open(''));
    expect(open.map(({ destroyed }) => destroyed)).toEqual([...Array(3).fill(true), ...Array(64).fill(false)]);
    streams.end();
    for (const stream of open) stream.destroy();
  });

  test('after the end nothing is written any more', async () => {
    const streams = createEventStreams();
    const stream = streams.open('first');
    streams.end();
    streams.send('second');
    expect((await stream.toArray()).join('')).toBe('first');
  });
});
