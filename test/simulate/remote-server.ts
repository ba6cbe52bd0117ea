import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServerUnderTest } from '../../src/simulate/engine/in-process.js';
import { simulate } from '../../src/simulate/simulate.js';

/** Bearer tokens of two new users of a server. */
export function newTokens({ accounts }: ServerUnderTest): Promise<string[]> {
  return Promise.all(
    ['one', 'two'].map(async (name) => {
      const owner = await accounts.addOwner({ email: `${name}@example.org`, name });
      return (await accounts.createToken({ owner })).token;
    }),
  );
}

export const SILLY_ANSWERS = ['<!doctype html>', '{}'];

interface SillyRun {
  readonly tokens: readonly string[];
  readonly select?: { readonly ids: readonly string[] };
}

/** A run against a server that gives the same body, with 200, to everything. */
export async function runAgainstSilly(body: string, { tokens, select }: SillyRun) {
  const silly = createServer((_, response) => response.end(body));
  await new Promise<void>((resolve) => silly.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(silly.address() as AddressInfo).port}`;
    return await simulate({ fixtures: [], version: '0.0.0', target: { url, tokens }, keepGoing: true, ...(select && { select }) });
  } finally {
    await new Promise((resolve) => silly.close(resolve));
  }
}
