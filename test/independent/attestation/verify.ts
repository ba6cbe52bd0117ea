import type { CborMap } from '../cbor.js';
import { followChain } from '../chain.js';
import { check, type Party, refuse } from '../party.js';
import { verifyAndroidKey } from './android-key.js';
import { verifySafetyNet } from './android-safetynet.js';
import { verifyApple } from './apple.js';
import { verifyFidoU2f } from './fido-u2f.js';
import { verifyPacked } from './packed.js';
import { demand, malformed, type StatementInput, type Verified } from './statement.js';
import { verifyTpm } from './tpm.js';

type Verify = (input: StatementInput) => Verified;

/** §8.7. */
function verifyNone({ statement, party }: StatementInput): Verified {
  demand(statement.size === 0 || party.faults.has('none-statement-not-empty'), 'the statement of "none" is not empty');
  return { type: 'none' };
}

const FORMATS: ReadonlyMap<string, Verify> = new Map<string, Verify>([
  ['none', verifyNone],
  ['packed', verifyPacked],
  ['tpm', verifyTpm],
  ['android-key', verifyAndroidKey],
  ['android-safetynet', verifySafetyNet],
  ['fido-u2f', verifyFidoU2f],
  ['apple', verifyApple],
]);

/** §7.1 steps 22 and 23. Every statement of a compound (§8.9) is verified. */
export function verifyStatements(format: unknown, body: unknown, input: Omit<StatementInput, 'statement'>): Verified[] {
  const { faults, policy } = input.party;
  if (typeof format !== 'string') return malformed('fmt is no text');
  const name = faults.has('format-case-folded') ? format.toLowerCase() : format;
  const excluded = faults.has(name === 'none' ? 'excluded-none-accepted' : 'excluded-format-accepted');
  const taken = excluded || (policy.formats?.includes(name) ?? true);
  check(taken || faults.has('unknown-format-accepted'), 'format_unknown', `This server does not take the attestation format ${format}.`);
  if (name === 'compound') return verifyCompound(body, input);
  const verify = FORMATS.get(name);
  if (verify === undefined && faults.has('unknown-format-accepted')) return [{ type: 'none' }];
  if (verify === undefined) return refuse('format_unknown', `This server has no attestation format ${format}.`);
  return [verify({ ...input, statement: toMap(body) })];
}

function toMap(body: unknown): CborMap {
  return body instanceof Map ? body : malformed('attStmt is no map');
}

function verifyCompound(body: unknown, input: Omit<StatementInput, 'statement'>): Verified[] {
  const { faults } = input.party;
  if (!Array.isArray(body)) return malformed('attStmt of a compound is no array');
  demand(body.length >= (faults.has('compound-one-statement') ? 1 : 2), 'a compound has at least two statements');
  return body.flatMap((one: unknown) => {
    const entry = one instanceof Map ? one : malformed('a statement of a compound is no map');
    const format: unknown = entry.get('fmt');
    demand(format !== 'compound' || faults.has('compound-nested'), 'a compound holds a compound');
    return faults.has('compound-unverified') ? [{ type: 'none' } as const] : verifyStatements(format, entry.get('attStmt'), input);
  });
}

/** §7.1 step 25, where attestation was asked for: one of the statements is trusted. */
export function assessTrust(statements: readonly Verified[], party: Party): void {
  const [first] = statements;
  if (first === undefined || statements.length === 1) return assess(first ?? { type: 'none' }, party);
  const refusals = statements.map((statement) => refusalOf(() => assess(statement, party)));
  if (refusals.every((refusal) => refusal !== undefined)) throw refusals[0];
}

function refusalOf(run: () => void): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}

function assess(statement: Verified, party: Party): void {
  const { faults, policy } = party;
  switch (statement.type) {
    case 'none':
      return check(faults.has('none-trusted'), 'attestation_not_trusted', 'Attestation was asked for and none was given.');
    case 'self': {
      const fine = policy.selfAttestation === 'accept' || faults.has('self-attestation-trusted');
      return check(fine, 'attestation_not_trusted', 'Self attestation will not do here.');
    }
    default:
      check(policy.trust !== 'certificates-refused', 'attestation_not_trusted', 'There is no root for certificates here.');
      return followChain(statement.x5c, party);
  }
}
