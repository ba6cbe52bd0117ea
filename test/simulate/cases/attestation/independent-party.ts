import { X509Certificate } from 'node:crypto';
import { AUTHORITY } from '../../../../src/simulate/cases/attestation/makers/certified.js';
import type { AttestationRow } from '../../../../src/simulate/cases/attestation/row.js';
import type { FaultId } from '../../../independent/faults.js';
import { createIndependentParty, type IndependentParty } from '../../../independent/server.js';
import { NOW, ORIGIN, responseOf } from './judge-row.js';

/** The independent relying party with the test root, and the faults given. */
export function independentParty(...faults: readonly FaultId[]): IndependentParty {
  return createIndependentParty({
    faults: new Set(faults),
    roots: [new X509Certificate(AUTHORITY.root)],
    policy: { algorithms: [-7, -8, -35, -257], selfAttestation: 'accept' },
    now: () => NOW,
  });
}

/** How it decides on a row; `failed` is an answer of 5xx. */
export async function outcomeAt(
  party: IndependentParty,
  row: AttestationRow,
): Promise<{ readonly outcome: 'accepted' | 'refused' | 'failed'; readonly said: string }> {
  const { algorithm = -7, attestation = 'direct', onlyWithoutTrust } = row;
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${party.tokens[0]}`, 'content-type': 'application/json', origin: ORIGIN };
    return party.answer({ method: 'POST', path, headers, body: JSON.stringify(body) });
  };
  // It assesses trust where attestation was asked for.
  const asked = { algorithms: [algorithm], attestation: onlyWithoutTrust ? 'none' : attestation };
  const options = await post('/api/passkeys/register/options', { app_name: 'Example', app_url: ORIGIN, ...asked });
  const { status, body } = await post('/api/passkeys/register', await responseOf(row, JSON.parse(options.body)));
  return { outcome: status < 300 ? 'accepted' : status < 500 ? 'refused' : 'failed', said: body };
}
