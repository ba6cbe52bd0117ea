import assert from 'node:assert/strict';
import { annotate, explain, explainAll } from 'passkey-cli/explain';
import { createCeremonies } from 'passkey-cli/testing';

const { response, expected } = await createCeremonies({ origin: 'https://example.org' }).registration();
const { verdict } = await explain(response, { ...expected, algorithms: ['ES256'] });
assert.equal(verdict, 'accepted');
const refused = await explain(response, { ...expected, algorithms: ['ES256'], origin: 'https://shop.example.org' });
assert.equal(refused.steps.find(({ status }) => status === 'fail').code, 'origin_mismatch');
assert.ok(annotate(response).children.length > 0);
assert.equal((await explainAll(response)).length, 1);
