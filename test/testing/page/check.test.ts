import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { choosePageCases } from '../../../src/testing/page/cases.js';
import { checkFlows } from '../../../src/testing/page/check.js';
import { FAULTS, flowsOf } from '../../e2e/page-check/faults.js';
import { startShop } from '../../e2e/page-check/shop.js';
import { quick, share } from '../../thorough.js';
import { createPageDriver } from './page-in-process.js';

async function check(fault: string | undefined, cases?: readonly string[]) {
  await using shop = await startShop();
  return await checkFlows({
    driver: createPageDriver(shop.url),
    flows: flowsOf(fault === undefined ? '/' : `/?fault=${fault}`),
    cases: choosePageCases(cases),
    target: shop.url,
    toolVersion: '0.0.0',
    now: Date.now,
    // The looks at a control that stays disabled follow each other faster; what pages do takes its time.
    wait: async (milliseconds) => await setTimeout(milliseconds < 1_000 ? milliseconds / 5 : milliseconds),
    jobs: 8,
  });
}

/** They reject promises at load, which would end this process. */
const ONLY_IN_BROWSERS = ['webauthn', 'capabilities', 'signals'];

quick('a correct page has no finding, and all cases are judged but one', async () => {
  const { findings, results } = await check(undefined);
  expect(findings).toEqual([]);
  expect(results.filter(({ status }) => status !== 'passed').map(({ id, reason }) => [id, reason])).toEqual([
    ['password.upgrade-refused', 'The page does not offer a passkey after a sign-in with a password.'],
  ]);
});

const faults = Object.entries(FAULTS).filter(([fault]) => !ONLY_IN_BROWSERS.includes(fault));

test.concurrent.each(share(faults, 7))('the fault %s of a page is told by its first finding', async (fault, [cause, ...cases]) => {
  const { findings } = await check(fault, cases);
  expect([findings[0]?.cause, ...(findings[0]?.cases ?? [])]).toEqual([cause, ...cases]);
});
