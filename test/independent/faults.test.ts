import { X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { NOW, ROOT } from './craft/certificates.js';
import { Scene } from './craft/scene.js';
import { FAULTS, type Fault, type FaultId } from './faults.js';
import type { Policy } from './party.js';
import { type Exchange, type Outcome, toOutcome } from './reach/exchange-table.js';
import { EXCHANGES, POLICIES } from './reach/exchanges.js';
import { createIndependentParty } from './server.js';

const roots = [new X509Certificate(ROOT.der)];

async function outcomeAt(exchange: Exchange, faults: readonly FaultId[], policy: Partial<Policy> = {}): Promise<Outcome> {
  const clock = { now: NOW };
  const party = createIndependentParty({ faults: new Set(faults), policy, roots, now: () => clock.now });
  return toOutcome(await exchange(new Scene(party, clock)));
}

/** What every relying party is tried with first. */
const plain: Exchange = async (scene) => await scene.signIn(await scene.registered(), { signCount: 1 });

const OUTCOMES: Readonly<Record<Fault['kind'], { readonly correct: Outcome; readonly faulty: Outcome }>> = {
  lax: { correct: 'refused', faulty: 'accepted' },
  strict: { correct: 'accepted', faulty: 'refused' },
  crash: { correct: 'refused', faulty: 'failed' },
};

describe('every fault', () => {
  test('has an id of its own, and there are enough of each kind', () => {
    expect(new Set(FAULTS.map(({ id }) => id)).size).toBe(FAULTS.length);
    expect(FAULTS.length).toBeGreaterThanOrEqual(120);
    expect(FAULTS.filter(({ kind }) => kind === 'strict').length).toBeGreaterThanOrEqual(20);
  });

  test.each(FAULTS)('$id decides on a response', async ({ id, kind }) => {
    const [exchange, policy] = [EXCHANGES[id], POLICIES[id]];
    const outcomes = { correct: await outcomeAt(exchange, [], policy), faulty: await outcomeAt(exchange, [id], policy) };
    expect(outcomes).toEqual(OUTCOMES[kind]);
  });

  test('leaves a plain ceremony alone', async () => {
    const outcomes = await Promise.all(FAULTS.map(async ({ id }) => [id, await outcomeAt(plain, [id])]));
    expect(outcomes.filter(([, outcome]) => outcome !== 'accepted')).toEqual([]);
  });
});
