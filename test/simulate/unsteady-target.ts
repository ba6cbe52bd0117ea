import { PasskeyError } from '../../src/errors.js';
import type { HttpAnswer, HttpRequest, HttpTarget } from '../../src/simulate/http/http.js';
import { type SimulateOptions, simulate } from '../../src/simulate/simulate.js';
import { connect, readIndependentProfile, URL_OF_PARTY } from '../independent/catalogue.js';
import type { FaultId } from '../independent/faults.js';
import { createIndependentParty } from '../independent/server.js';

/** Says what a request for a path gets in place of its answer; undefined: its answer. `count` counts the requests of the run, from 1. */
export type Instead = (
  request: Pick<HttpRequest, 'path' | 'body'>,
  count: number,
) => number | { readonly status: number; readonly json: unknown } | undefined;

function toAnswer(instead: number | { readonly status: number; readonly json: unknown }): HttpAnswer {
  const { status, json } = typeof instead === 'number' ? { status: instead, json: { error: `answer ${instead}` } } : instead;
  return { status, headers: {}, json, text: JSON.stringify(json) };
}

interface UnsteadyRun extends Partial<Omit<SimulateOptions, 'target'>> {
  readonly faults?: readonly FaultId[];
}

/** A run against the independent relying party, some of whose answers are others. */
export async function runAgainstUnsteady(instead: Instead, { faults = [], ...options }: UnsteadyRun = {}) {
  const party = createIndependentParty({ faults: new Set(faults), roots: [] }, () => URL_OF_PARTY.origin);
  const connections = connect(party);
  let sent = 0;
  const unsteady: HttpTarget = {
    ...connections,
    async send(request) {
      sent += 1;
      const other = instead({ ...request, path: new URL(request.path, URL_OF_PARTY).pathname }, sent);
      return other === undefined ? connections.send(request) : toAnswer(other);
    },
  };
  const report = await simulate({
    fixtures: [],
    version: '0.0.0',
    ...options,
    target: {
      url: URL_OF_PARTY.href,
      connections: unsteady,
      tokens: party.tokens,
      profile: await readIndependentProfile(),
      comeBackWithin: 0,
    },
  });
  return { ...report, sent };
}

/** The error with which a run ends before its first case. */
export async function catchRun(pending: Promise<unknown>): Promise<PasskeyError> {
  const error = await pending.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof PasskeyError) return error;
  throw new Error(`expected a PasskeyError, got ${String(error)}`);
}
