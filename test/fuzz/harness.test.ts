import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { asObject } from '../../src/kernel/json-value.js';
import { createMemoryStore } from '../../src/store/memory.js';
import { temporaryFolder } from '../contract/adapters.js';
import { openWorkCounter } from '../count-work.js';
import { Service } from '../server/app.js';
import { quick as test, thorough } from '../thorough.js';
import { readContract } from './http-contract.js';
import { runInputs } from './inputs.js';
import { mutateBytes } from './mutate-bytes.js';
import { hold, type Parser } from './parser.js';
import { Random } from './random.js';
import { resultOfInputs } from './report.js';
import { ofStore, playEpisode } from './store.js';

// A fuzzer that cannot find a fault proves nothing: each of these is given one.

const faulty: Parser = {
  name: 'faulty',
  make: (random) => mutateBytes(random.bytes(40), random, random.bytes(40)),
  read(bytes) {
    const at = bytes.indexOf(0x42);
    if (at !== -1 && bytes.indexOf(0x43, at) !== -1) throw new RangeError('a fault');
    hold(bytes.length < 200, 'inputs are short');
    return 'read';
  },
};

describe('inputs', () => {
  test('a fault is found, made small, saved, and found again by its seed and index', async () => {
    const run = await runInputs({ parsers: [faulty], seed: 7, inputs: 2_000 });
    const [failure] = run.failures.filter(({ error }) => error instanceof RangeError);
    expect(failure?.shrunk).toEqual(Uint8Array.of(0x42, 0x43));
    const folder = await temporaryFolder();
    const { findings } = resultOfInputs('parsers', run, folder);
    const index = failure?.index ?? -1;
    const finding = findings.find(({ title }) => title.includes(`input ${index} of seed 7`));
    expect(finding?.reproduce).toBe(`npm run fuzz -- --target parsers --seed 7 --only ${index}`);
    expect(readFileSync(`${folder}/passkey-fuzz-parsers-faulty-7-${index}.min`)).toEqual(Buffer.of(0x42, 0x43));
    const again = await runInputs({ parsers: [faulty], seed: 7, inputs: 1, from: index });
    expect(again.failures).toMatchObject([{ index, input: failure?.input }]);
    const elsewhere = await runInputs({ parsers: [faulty], seed: 8, inputs: 1, from: index });
    expect(elsewhere.failures[0]?.input).not.toEqual(failure?.input);
  });

  test('a parser that changes its input is found out', async () => {
    const careless: Parser = { ...faulty, read: (bytes) => `${bytes.fill(0).length}` };
    const { failures } = await runInputs({ parsers: [careless], seed: 7, inputs: 3 });
    expect(failures).toMatchObject([{ error: { message: 'the input is not changed' } }]);
  });

  test('numbers depend on the seed and the index alone', () => {
    const numbers = (seed: number, index: number) => [...new Random(seed, index).bytes(16)];
    expect(numbers(1, 2)).toEqual(numbers(1, 2));
    expect(new Set([numbers(1, 2), numbers(2, 1), numbers(1, 3), numbers(1, 2 + 2 ** 33)].map(String)).size).toBe(4);
  });
});

thorough('work is counted the same each time, and tells a line from a square', async () => {
  const counter = await openWorkCounter();
  const line = (n: number) => () => {
    let sum = 0;
    for (let at = 0; at < n; at += 1) sum += at;
    return sum;
  };
  const square = (n: number) => () => {
    let rest = new Uint8Array(n);
    while (rest.length > 0) rest = rest.slice(1);
  };
  const counts: number[] = [];
  for (const work of [line(1_000), line(1_000), line(2_000), square(1_000), square(2_000)]) counts.push(await counter.count(work));
  await counter.close();
  const [once = 0, again = 0, twice = 0, squareOnce = 0, squareTwice = 0] = counts;
  expect(once).toBeGreaterThanOrEqual(1_000);
  expect(again).toBe(once);
  expect(twice / once).toBeLessThan(2.2);
  expect(squareTwice / squareOnce).toBeGreaterThan(3.5);
});

describe('the contract of HTTP', () => {
  test('refuses a status, a body and a failure that the document does not have', async () => {
    await using service = await Service.start();
    const openApi = asObject((await service.inject({ url: '/openapi.json' })).json());
    const contract = readContract(openApi, false);
    const answer = await service.inject({ url: '/healthz' });
    const problem = await service.inject({ url: '/api/passkeys' });
    const check = (change: object, of = answer, url = '/healthz') =>
      contract.check('GET', url, Object.assign(Object.create(of) as typeof answer, change));
    expect(() => check({})).not.toThrow();
    expect(() => check({}, problem, '/api/passkeys')).not.toThrow();
    expect(() => check({ statusCode: 500 })).toThrow('no answer is a 500');
    expect(() => check({ statusCode: 201 })).toThrow(/documents [0-9,]+, not 201/);
    expect(() => check({ json: () => ({ status: 'well' }) })).toThrow('the body of GET');
    expect(() => check({ statusCode: 404 }, problem, '/api/passkeys')).toThrow('the problem says 401, the answer 404');
    expect(() => check({ headers: { ...problem.headers, 'content-type': 'text/html' } }, problem)).toThrow('is a problem document');
    expect(() => readContract(openApi, true).check('GET', '/api/passkeys', problem)).toThrow('in production a problem has no details');
  });
});

describe('the model of the store', () => {
  test('finds an adapter that forgets', async () => {
    const play = (store: ReturnType<typeof createMemoryStore>) =>
      playEpisode({ seed: 1, first: 0, count: 120, parties: [ofStore(store)], outcomes: new Map() });
    expect(await play(createMemoryStore())).toBeUndefined();
    const forgetful = createMemoryStore();
    const wrong = await play({ ...forgetful, recordCounterRegression: async () => {} });
    expect(wrong?.detail).toContain('No order explains the last answers');
  });
});
