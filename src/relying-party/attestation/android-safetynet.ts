import { createHash } from 'node:crypto';
import { formatSecond } from '../../kernel/wording.js';
import { encodeBase64 } from '../../webauthn/base64url.js';
import type { Certificate } from '../../webauthn/certificate.js';
import { nameAttributes } from '../../webauthn/distinguished-name.js';
import { showText } from '../show.js';
import { checkChain } from './chain.js';
import { type Jws, readJws, verifyJws } from './jws.js';
import { describeKey, importSubjectKey } from './signature.js';
import { readCertificates, readMembers, type StatementFinding, type StatementInput, signedBytes } from './statement.js';
import { attempt, decide, judge, type Requirement, type SubCheck } from './sub-check.js';

const REFERENCE = '§8.5';
const ONLINE = '§8.5; SafetyNet online documentation';
const HOST = 'attest.android.com';
const COMMON_NAME = '2.5.4.3';
/**
 * How much older or newer than the present the timestamp of a SafetyNet response may be, in milliseconds. The second limit tolerates clocks
 * that differ.
 */
const FRESH = { after: 10 * 60_000, before: 60_000 } as const;

const VERSION: Requirement = {
  slug: 'version',
  reference: REFERENCE,
  expected: 'a version of Google Play Services in ver',
  hint: 'ver must not be empty.',
};
const RESPONSE: Requirement = {
  slug: 'response',
  reference: REFERENCE,
  expected: 'a JWS in compact serialization with certificates',
  hint: 'response must be what getJwsResult() returns.',
};
const SIGNATURE: Requirement = {
  slug: 'signature',
  reference: ONLINE,
  expected: 'a JWS signature by the first certificate of its header',
  hint: 'The response was changed in transit, or not made by SafetyNet.',
};
const HOSTNAME: Requirement = {
  slug: 'hostname',
  reference: ONLINE,
  expected: `a certificate issued to ${HOST}`,
  hint: 'The response was not signed by the SafetyNet service.',
};
const NONCE: Requirement = {
  slug: 'nonce',
  reference: REFERENCE,
  expected: 'nonce: base64 of the SHA-256 of authenticator data and client data hash',
  hint: 'The response was made for other authenticator data or client data.',
};
const INTEGRITY: Requirement = {
  slug: 'cts-profile-match',
  reference: ONLINE,
  expected: 'ctsProfileMatch true',
  hint: 'The device does not pass the compatibility test: it is rooted, emulated or not certified.',
};
const TIMESTAMP: Requirement = {
  slug: 'timestamp',
  reference: ONLINE,
  expected: 'timestampMs shortly before the time of verification',
  hint: 'The response is old, or the clocks differ; verify as of the time of the registration.',
};

/**
 * Verifies a SafetyNet attestation statement (§8.5). Google switched SafetyNet off in 2025. Statements from before can still be verified as
 * of the time when they were made.
 */
export function verifyAndroidSafetyNet(input: StatementInput): StatementFinding {
  const finding = (checks: readonly SubCheck[], certificates: readonly Certificate[] = []): StatementFinding => ({
    checks,
    attestationType: 'basic',
    certificates,
  });
  const { check: syntax, members } = readMembers(input.attStmt, REFERENCE, { ver: 'text', response: 'bytes' });
  if (members === undefined) {
    return finding([syntax]);
  }
  const version = judge(VERSION, members.ver !== '', showText(members.ver));
  const read = attempt(() => readJws(members.response));
  if (!read.ok || read.value.x5c.length === 0) {
    return finding([syntax, version, judge(RESPONSE, false, read.ok ? 'no certificates' : read.message)]);
  }
  const jws = read.value;
  const response = judge(RESPONSE, true, `${jws.alg} with ${jws.x5c.length} certificates`);
  const { check: readable, certificates } = readCertificates(jws.x5c, ONLINE);
  if (certificates === undefined) {
    return finding([syntax, version, response, readable]);
  }
  const [attestation] = certificates;
  const checks = [
    syntax,
    version,
    response,
    readable,
    checkSignature(jws, attestation),
    checkHostname(attestation),
    checkNonce(input, jws.payload.nonce),
    judge(INTEGRITY, jws.payload.ctsProfileMatch === true, String(jws.payload.ctsProfileMatch)),
    checkTimestamp(jws.payload.timestampMs, input.at),
    ...checkChain(certificates, input.at, input.mlDsa),
  ];
  return finding(checks, certificates);
}

function checkSignature(jws: Jws, { publicKey }: Certificate): SubCheck {
  const key = importSubjectKey(publicKey);
  const received = `${showText(jws.alg)} with a key of type ${describeKey(key)}`;
  // An algorithm that is no public-key signature ("none", HS256) is not one that SafetyNet signs with.
  return key === undefined ? decide(SIGNATURE, 'skip', received) : judge(SIGNATURE, verifyJws(jws, key) === 'valid', received);
}

/**
 * Checks the server name in the certificate's subject alternative name. The common name is used only if there is no such name (RFC 6125
 * §6.4.4).
 */
function checkHostname({ extensions, subject }: Certificate): SubCheck {
  const alternatives = extensions.subjectAltName?.flatMap((name) => (name.kind === 'dns' ? name.text : []));
  const names = alternatives ?? nameAttributes(subject).flatMap(({ oid, text }) => (oid === COMMON_NAME ? text : []));
  return judge(
    HOSTNAME,
    names.some((name) => name.toLowerCase() === HOST),
    names.join(', ') || 'no name',
  );
}

function checkNonce(input: StatementInput, nonce: unknown): SubCheck {
  const expected = encodeBase64(createHash('sha256').update(signedBytes(input)).digest());
  return judge(NONCE, nonce === expected, typeof nonce === 'string' ? showText(nonce) : 'none');
}

/** Checks the age of the SafetyNet response. §8.5 does not require this check, so a wrong time causes only a warning. */
function checkTimestamp(timestamp: unknown, at: number): SubCheck {
  if (typeof timestamp !== 'number' || !Number.isFinite(timestamp) || Math.abs(timestamp) > 8.64e15) {
    return decide(TIMESTAMP, 'warn', 'none');
  }
  const fresh = timestamp <= at + FRESH.before && timestamp >= at - FRESH.after;
  return decide(TIMESTAMP, fresh ? 'pass' : 'warn', `${formatSecond(timestamp)}, verified at ${formatSecond(at)}`);
}
