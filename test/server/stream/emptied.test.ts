import { EventEmitter, once } from 'node:events';
import { expect, test } from 'vitest';
import { PasskeyError } from '../../../src/errors.js';
import { Service } from '../app.js';
import { keptLines } from './kept-in-memory.js';
import { detail, list } from './read.js';

test('what the keeper cannot remove stays in the list, and says why', async () => {
  const keeper = keptLines();
  const clear = async () => {
    throw new PasskeyError('store_unavailable', 'Could not empty the stream file x (EACCES).');
  };
  await using service = await Service.start({ stream: { ...keeper, clear } });
  await service.register();
  const refused = await service.inject({ method: 'DELETE', url: '/dev/stream' });
  expect([refused.statusCode, refused.json().detail]).toEqual([503, 'Could not empty the stream file x (EACCES).']);
  expect(await list(service)).toMatchObject([{ state: 'verified' }]);
});

test('nothing that is emptied comes back with what was on its way', async () => {
  const keeper = keptLines();
  const [begun, held] = [new EventEmitter(), new EventEmitter()];
  const [hasBegun, isOver] = [once(begun, 'it'), once(held, 'it')];
  const clear = async () => {
    await keeper.clear();
    begun.emit('it');
    await isOver;
  };
  {
    await using service = await Service.start({ stream: { ...keeper, clear } });
    await service.register();
    const emptied = service.inject({ method: 'DELETE', url: '/dev/stream' });
    await hasBegun;
    const [entry] = await list(service);
    // Hands what has changed to the keeper.
    await detail(service, entry?.id);
    held.emit('it');
    expect((await emptied).statusCode).toBe(204);
    expect(await list(service)).toEqual([]);
  }
  expect(keeper.lines).toEqual([]);
});
