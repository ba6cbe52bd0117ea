import assert from 'node:assert/strict';
import { asExpected, failedIn, findMutation, listCases, listMutations, simulate } from 'passkey-cli/simulate';

// In process; with `target: { url }`, against a running server.
const report = await simulate({ fixtures: [], select: { ids: ['login.signature-bit'] }, version: '1.0.0' });
assert.equal(asExpected(report), true);
assert.equal(failedIn(report).size, 0);
assert.ok((await listCases({ fixtures: [], select: { ids: ['login.*'] } })).length > 100);
assert.ok(listMutations('authentication').length > 100);
assert.equal(findMutation('login.signature-bit').tests.slug, 'signature');
