import { afterAll, describe, expect, test } from 'vitest';
import { DEFAULT_POLICY, type Policy } from '../../src/relying-party/policy.js';
import { writePem } from '../../src/webauthn/pem.js';
import { Service } from '../server/app.js';
import { share } from '../thorough.js';
import { NOW, ROOT } from './craft/certificates.js';
import { Scene } from './craft/scene.js';
import { FAULTS, type Fault, type FaultId } from './faults.js';
import { type Outcome, toOutcome } from './reach/exchange-table.js';
import { EXCHANGES, POLICIES } from './reach/exchanges.js';
import { TRUST } from './reach/trust.js';
import type { IndependentParty } from './server.js';

/** What our own server is started with, where the independent one is asked for it in a request. */
const ASKED: Readonly<Partial<Record<FaultId, Partial<Policy>>>> = {
  'create-uv-unchecked': { userVerification: 'required' },
  'get-uv-unchecked': { userVerification: 'required' },
  'uv-refused-when-discouraged': { userVerification: 'discouraged' },
  'okp-curve-unchecked': { algorithms: [-8] },
  'eddsa-refused': { algorithms: [-8] },
  'fully-specified-refused': { algorithms: [-9] },
  'hash-always-sha256': { algorithms: [-35] },
};
const DIRECT: Partial<Policy> = { attestation: 'direct', attestationRoots: [writePem(ROOT.der)], selfAttestation: 'refuse' };

/** Where the standard leaves it open, ours only warns: SafetyNet was switched off, and what is old is verified as of its time. */
const WARNED: readonly FaultId[] = ['safetynet-timestamp-unchecked'];

/** One server of ours for each way to start it: building one takes longer than all it is asked. */
const services = new Map<string, Promise<Service>>();
let users = 0;

async function serviceFor(id: FaultId): Promise<Service> {
  const { origins = [], topOrigins = [] } = POLICIES[id] ?? {};
  const policy = { ...DEFAULT_POLICY, topOrigins, ...(id in TRUST && DIRECT), ...ASKED[id] };
  const key = JSON.stringify([policy, origins]);
  const service = services.get(key) ?? Service.start({ policy, settings: { rateLimit: undefined, origins } });
  services.set(key, service);
  return await service;
}

/** Two new users of our server, as the party of a scene. */
async function ours(service: Service): Promise<IndependentParty> {
  const token = async () => {
    const owner = await service.accounts.addOwner({ email: `user${users++}@example.com`, name: 'A new user' });
    return (await service.accounts.createToken({ owner })).token;
  };
  return {
    tokens: [await token(), await token()],
    answer: async ({ method, path, headers, body }) => {
      const reply = await service.inject({
        method: method === 'DELETE' || method === 'GET' ? method : 'POST',
        url: path,
        headers: { ...headers },
        ...(body !== undefined && { payload: body }),
      });
      return { status: reply.statusCode, headers: { 'set-cookie': String(reply.headers['set-cookie'] ?? '') }, body: reply.body };
    },
  };
}

function expected({ id, kind }: Fault): Outcome {
  return kind === 'strict' || WARNED.includes(id) ? 'accepted' : 'refused';
}

afterAll(async () => {
  for (const service of services.values()) await (await service).app.close();
});

describe('our own relying party decides as the independent one', () => {
  test.each(share(FAULTS, 3))('where others have $id', async (fault) => {
    const service = await serviceFor(fault.id);
    service.clock.now = NOW;
    const outcome = toOutcome(await EXCHANGES[fault.id](new Scene(await ours(service), service.clock)));
    expect(outcome).toBe(expected(fault));
  });
});
