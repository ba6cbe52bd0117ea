import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freeAddress } from '../../../src/cli/serve/port.js';

async function listenOn(host: string): Promise<number> {
  const server = createServer().listen(0, host);
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

  test('that is taken is an error that names --port', async () => {
    const port = await listenOn('127.0.0.1');
    await expect(freeAddress({ host: '127.0.0.1', port: port })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(`Port ${port} .* taken.*--port`),
    });
  });

  test('of localhost has to be free on every address: a browser takes any of them', async () => {
    const port = await listenOn('127.0.0.1');
    await expect(freeAddress({ host: 'localhost', port: port })).rejects.toMatchObject({ code: 'usage', exitCode: 2 });
  });

  test('of a host that is not here is an error that names --host', async () => {
    const host = '203.0.113.1';
    await expect(freeAddress({ host: host, port: 0 })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('--host expects'),
    });
  });
});
