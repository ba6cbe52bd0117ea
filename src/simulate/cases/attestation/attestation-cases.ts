import type { Case } from '../../engine/case.js';
import { registrationCase } from '../../engine/ceremony-cases.js';
import { ACCEPTED, refused } from '../../engine/outcome.js';
import { INVALID_TAG } from '../../engine/scenario.js';
import type { Wants } from '../../engine/wants.js';
import { ATTESTATION_ROWS } from './all-rows.js';
import { attestAnew } from './attest-anew.js';
import type { AttestationRow } from './row.js';

const ES256 = -7;

function wantsOf(row: AttestationRow): Wants {
  const {
    attestation = 'direct',
    algorithm = ES256,
    statementAlgorithm,
    format,
    needsTrust,
    onlyWithoutTrust,
    selfAttestation,
    expected,
  } = row;
  const trust = needsTrust ? { trust: true } : onlyWithoutTrust === true ? { trust: false } : {};
  return {
    attestation,
    algorithms: [algorithm, ...(statementAlgorithm === undefined ? [] : [statementAlgorithm])],
    // A statement that was not asked for is refused for what is wrong with it, or because nobody takes its format.
    ...((attestation !== 'none' || expected === 'accepted') && { format }),
    ...(selfAttestation === true && { selfAttestation }),
    ...trust,
  };
}

function caseOf(row: AttestationRow): Case {
  const { id, title, rule, why, disputed, algorithm = ES256 } = row;
  return registrationCase({
    id,
    title,
    rule,
    why,
    ...(disputed !== undefined && { disputed }),
    tags: ['attestation', ...(row.expected === 'refused' ? [INVALID_TAG] : [])],
    wants: wantsOf(row),
    browser: { authenticator: { algorithms: [algorithm] } },
    rewrite: async ({ honest, source }) => ({ ...(await attestAnew(row, honest, source, Date.now)) }),
    expected: row.expected === 'accepted' ? ACCEPTED : refused(row.code, row.slug),
  });
}

/** Every case of §8, each of which makes one statement anew. */
export const ATTESTED_CASES: readonly Case[] = ATTESTATION_ROWS.map(caseOf);
