import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freeAddress, listen, onFreeAddress } from '../../src/server/listen.js';
import { Service } from './app.js';

async function listenOn(host: string, port = 0): Promise<number> {
  const server = createServer().listen(port, host);
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

describe('the port', () => {
  test('is a free one for 0, and stays free', async () => {
    const address = await freeAddress({ host: 'localhost', port: 0 });
    expect(address.port).toBeGreaterThan(0);
    expect(await freeAddress(address)).toStrictEqual(address);
  });

  test('that another process takes meanwhile is another one for 0', async () => {
    const tried: number[] = [];
    const listening = await onFreeAddress({ host: '127.0.0.1', port: 0 }, async (address) => {
      tried.push(address.port);
      if (tried.length === 1) await listenOn('127.0.0.1', address.port);
      await using service = await Service.start();
      await listen(service.app, address);
      return address.port;
    });
    expect(tried).toHaveLength(2);
    expect(listening).toBe(tried[1]);
  });

  test('that another process takes meanwhile stays an error where it was named', async () => {
    const port = await listenOn('127.0.0.1');
    const taken = onFreeAddress({ host: '127.0.0.1', port }, () => Promise.reject(new Error('not reached')));
    await expect(taken).rejects.toMatchObject({ code: 'configuration_invalid', message: expect.stringContaining(`Port ${port}`) });
  });

  test('that is taken is an error that names --port', async () => {
    const port = await listenOn('127.0.0.1');
    await expect(freeAddress({ host: '127.0.0.1', port: port })).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringMatching(`Port ${port} .* in use.*--port`),
    });
  });

  test('of localhost has to be free on every address: a browser takes any of them', async () => {
    const port = await listenOn('127.0.0.1');
    await expect(freeAddress({ host: 'localhost', port: port })).rejects.toMatchObject({ code: 'configuration_invalid', exitCode: 2 });
  });

  test('of a host that is not here is an error that names --host', async () => {
    const host = '203.0.113.1';
    await expect(freeAddress({ host: host, port: 0 })).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringContaining('--host expects'),
    });
  });
});
