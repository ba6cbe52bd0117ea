import assert from 'node:assert/strict';
import { asExpected, failedIn, findMutation, listCases, listMutations, mutateRegistration, simulate } from 'passkey-cli/simulate';

// In process; with `target: { url }`, against a running server.
const report = await simulate({ fixtures: [], select: { ids: ['login.signature-bit'] }, version: '1.0.0' });
assert.equal(asExpected(report), true);
assert.equal(failedIn(report).size, 0);
assert.ok((await listCases({ fixtures: [], select: { ids: ['login.*'] } })).length > 100);
assert.ok(listMutations('authentication').length > 100);
assert.equal(findMutation('login.signature-bit').tests.slug, 'signature');

// One mutation of a response to any options, for a test of another server.
const { response } = await mutateRegistration({
  id: 'register.origin-other-site',
  origin: 'https://example.org',
  options: {
    rp: { name: 'Shop' },
    user: { id: 'AAAAAAAAAAAAAAAAAAAAAA', name: 'ada@example.com', displayName: 'Ada' },
    challenge: 'c29tZSByYW5kb20gYnl0ZXMhIQ',
    pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
  },
});
assert.equal(response.type, 'public-key');
