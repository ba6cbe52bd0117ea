import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { ATTESTATION_ROWS } from '../../../../src/simulate/cases/attestation/all-rows.js';
import { AUTHORITY } from '../../../../src/simulate/cases/attestation/makers/certified.js';
import { createIndependentParty } from '../../../independent/server.js';
import { NOW, ORIGIN, responseOf } from './judge-row.js';

/**
 * The independent relying party shares no code with ours, and decides the same wherever the standard leaves no choice. A row on which
 * the two differ is a false alarm, or a fault in one of them.
 */
const UNDISPUTED = ATTESTATION_ROWS.filter(({ disputed }) => disputed === undefined);

const party = createIndependentParty({
  roots: [new X509Certificate(AUTHORITY.root)],
  policy: { algorithms: [-7, -8, -35, -257], selfAttestation: 'accept' },
  now: () => NOW,
});

async function post(path: string, body: object): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { authorization: `Bearer ${party.tokens[0]}`, 'content-type': 'application/json', origin: ORIGIN };
  const { status, body: text } = await party.answer({ method: 'POST', path, headers, body: JSON.stringify(body) });
  return { status, text };
}

test.each(UNDISPUTED)('$id', async (row) => {
  const { algorithm = -7, attestation = 'direct', onlyWithoutTrust, expected } = row;
  const asked = onlyWithoutTrust ? 'none' : attestation;
  const options = await post('/api/passkeys/register/options', {
    app_name: 'Example',
    app_url: ORIGIN,
    algorithms: [algorithm],
    attestation: asked,
  });
  const answer = await post('/api/passkeys/register', await responseOf(row, JSON.parse(options.text)));
  expect({ status: answer.status < 300 ? 'accepted' : answer.status < 500 ? 'refused' : 'failed', said: answer.text }).toEqual({
    status: expected,
    said: answer.text,
  });
});
