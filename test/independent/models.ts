import type { Verified } from './attestation/statement.js';
import { OID } from './certificate.js';
import type { Credential } from './credential.js';
import { onlyDer } from './der.js';
import { check, type Party } from './party.js';
import { bytesOf } from './request.js';

interface Judged {
  readonly aaguid: Buffer;
  readonly statements: readonly Verified[];
  readonly credential: Credential;
}

/** Whether the policy takes authenticators of this model. */
export function checkModel(judged: Judged, party: Party): void {
  const { faults, policy } = party;
  if (policy.models === undefined || faults.has('model-unchecked')) return;
  if (faults.has('model-unchecked-without-attestation') && judged.statements.every(({ type }) => type === 'none')) return;
  const model = modelOf(judged, party);
  if (model === undefined || (faults.has('model-of-zeros-accepted') && /^0+$/.test(model))) return;
  const compared = faults.has('model-by-first-bytes') ? 16 : 32;
  const taken = policy.models.some((one) => one.slice(0, compared) === model.slice(0, compared));
  check(taken, 'model_not_taken', 'This server takes no authenticator of this model.', 403);
}

function modelOf({ aaguid, statements, credential }: Judged, party: Party): string | undefined {
  const { faults } = party;
  if (faults.has('model-from-body') && credential.aaguid !== undefined) return credential.aaguid.replaceAll('-', '').toLowerCase();
  if (faults.has('model-from-unsigned-copy') && credential.response['authenticatorData'] !== undefined) {
    return Buffer.from(bytesOf(credential.response, 'authenticatorData', party))
      .subarray(37, 53)
      .toString('hex');
  }
  if (!faults.has('model-from-certificate')) return aaguid.toString('hex');
  const [leaf] = statements.flatMap((statement) => (statement.type === 'certificate' ? statement.x5c : []));
  const extension = leaf?.extensions.get(OID.aaguid);
  if (leaf === undefined) return aaguid.toString('hex');
  return extension && onlyDer(extension.value).content.toString('hex');
}
