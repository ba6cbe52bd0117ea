import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { stopped } from '../../../src/cli/serve/stop.js';

const listeners = (signals: EventEmitter) => signals.listenerCount('SIGINT') + signals.listenerCount('SIGTERM');

describe('stopping', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('%s stops; its echo does nothing', async (signal) => {
    const signals = new EventEmitter();
    const stop = stopped(signals, 60_000);
    signals.emit(signal);
    signals.emit('SIGINT');
    expect(await stop).toBe(signal);
    expect(listeners(signals)).toBe(2);
  });

  test('leaves a later signal to the system', async () => {
    const signals = new EventEmitter();
    const gone = new Promise<void>((resolve) => {
      signals.on('removeListener', () => listeners(signals) === 0 && resolve());
    });
    const stop = stopped(signals, 0);
    signals.emit('SIGTERM');
    await stop;
    // The timer does not keep a process alive, so the test does.
    const awake = setInterval(() => undefined, 1000);
    await gone;
    clearInterval(awake);
    expect(listeners(signals)).toBe(0);
  });
});
