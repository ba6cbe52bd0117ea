import { describe, expect, test } from 'vitest';
import type { GetAssertionRequest, MakeCredentialRequest } from '../../src/authenticator/ports.js';
import type { ClientOptions } from '../../src/client/client.js';
import { lifetime } from '../../src/client/lifetime.js';
import { creation, registered, request, setUp } from './ceremony.js';

/** An authenticator that waits for a user who never comes, and remembers whether it was cancelled. */
function waiting() {
  const signals: AbortSignal[] = [];
  const wait = (request: MakeCredentialRequest | GetAssertionRequest): Promise<never> => {
    if (request.signal) signals.push(request.signal);
    return new Promise(() => {});
  };
  return { signals, authenticator: { makeCredential: wait, getAssertion: wait } satisfies ClientOptions['authenticator'] };
}

const operations = [
  [
    'create',
    (client: ReturnType<typeof setUp>['client'], signal?: AbortSignal) =>
      client.create({ publicKey: creation(), ...(signal && { signal }) }),
  ],
  [
    'get',
    (client: ReturnType<typeof setUp>['client'], signal?: AbortSignal) => client.get({ publicKey: request(), ...(signal && { signal }) }),
  ],
] as const;

describe.each(operations)('%s()', (_, run) => {
  test.each([
    [undefined, expect.objectContaining({ name: 'AbortError' })],
    [new Error('changed my mind'), new Error('changed my mind')],
    ['a string', 'a string'],
  ])('aborted with %s before it starts: that is the rejection, and nobody is asked', async (reason, expected) => {
    const { signals, authenticator } = waiting();
    await expect(run(setUp({}, { authenticator }).client, AbortSignal.abort(reason))).rejects.toEqual(expected);
    expect(signals).toEqual([]);
  });

  test('aborted while the authenticator waits: the authenticator is cancelled', async () => {
    const { signals, authenticator } = waiting();
    const controller = new AbortController();
    const running = run(setUp({}, { authenticator }).client, controller.signal);
    const reason = new Error('the page was left');
    controller.abort(reason);
    await expect(running).rejects.toBe(reason);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test('the end of the lifetime is a NotAllowedError and cancels the authenticator', async () => {
    const { signals, authenticator } = waiting();
    const asked: number[] = [];
    const timer = async (milliseconds: number) => {
      asked.push(milliseconds);
    };
    await expect(run(setUp({}, { authenticator, timer }).client)).rejects.toMatchObject({
      name: 'NotAllowedError',
      message: 'The authenticator did not answer within 300000 ms.',
    });
    expect(asked).toEqual([300_000]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test('an answer in time stops the timer', async () => {
    const { authenticator } = await registered();
    const signals: AbortSignal[] = [];
    const timer = (_: number, signal: AbortSignal) => {
      signals.push(signal);
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    };
    await expect(run(setUp({}, { authenticator, timer }).client)).resolves.toMatchObject({ type: 'public-key' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });
});

test('the autofill list can be left by aborting', async () => {
  const { authenticator } = await registered();
  const controller = new AbortController();
  const pickCredential = () => {
    controller.abort('left');
    return new Promise<never>(() => {});
  };
  const { client } = setUp({}, { authenticator, pickCredential });
  await expect(client.get({ publicKey: request(), mediation: 'conditional', signal: controller.signal })).rejects.toBe('left');
});

test('conditional mediation has no end', async () => {
  const { authenticator } = await registered();
  const timer = () => Promise.reject(new Error('Expected no timer.'));
  const { client } = setUp({}, { authenticator, timer });
  await expect(client.get({ publicKey: request(), mediation: 'conditional' })).resolves.toMatchObject({ type: 'public-key' });
});

test.each([
  [undefined, 'preferred', 300_000],
  [undefined, 'discouraged', 120_000],
  [0, 'required', 30_000],
  [60_000, 'preferred', 60_000],
  [1e9, 'preferred', 600_000],
  [1e9, 'discouraged', 180_000],
] as const)('timeout %s with verification %s: %d ms', (timeout, userVerification, expected) => {
  expect(lifetime(timeout, userVerification)).toBe(expected);
});
