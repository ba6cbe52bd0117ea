import type { RetryOptions } from '../http/rate-limit.js';
import { gatherFacts, type MadeRequest, type Reach } from './facts.js';
import { FILE_CHECKS } from './file-checks.js';
import type { CheckStatus, Checks } from './judgement.js';
import { isAccepted, openProof, type ProvenTarget } from './proof.js';
import type { CheckResult, DoctorReport } from './report.js';
import { SITE_CHECKS } from './site-checks.js';
import { TARGET_CHECKS } from './target-checks.js';

interface DoctorOptions extends Reach, Pick<RetryOptions, 'onPause'> {
  readonly url: URL;
  /** RP ID to check; default: the RP ID in the server's options, otherwise the host of `url`. */
  readonly rpId?: string | undefined;
  /** A server at which to register and log in; without it, only the site is checked. */
  readonly target?: ProvenTarget | undefined;
  readonly now: () => number;
  /** Version of this tool, for the report. */
  readonly version: string;
}

/**
 * Checks whether a site is deployed correctly for passkeys.
 *
 * @throws PasskeyError `target_unreachable` if the page or the target never responded; `interrupted` if the run was interrupted.
 */
export async function examine({ version, now, target, rpId: given, onPause, ...options }: DoctorOptions): Promise<DoctorReport> {
  const started = now();
  const requests: MadeRequest[] = [];
  const site = target && (await openProof(target, { onPause, signal: options.signal }));
  try {
    const proof = await site?.proveOwnPage();
    const rpId = given ?? proof?.creation?.rp.id ?? options.url.hostname;
    const ceremonies = proof?.answers ?? [];
    const facts = await gatherFacts({ ...options, rpId, now: started, ceremonies }, (request) => requests.push(request));
    const named = site !== undefined && proof !== undefined && isAccepted(proof.own) ? await site.proveNamedOrigins(facts) : [];
    const checks = [
      ...run({ ...SITE_CHECKS, ...FILE_CHECKS }, facts),
      ...(proof === undefined ? [] : run(TARGET_CHECKS, { facts, proof, named })),
    ];
    const count = (status: CheckStatus) => checks.filter((check) => check.status === status).length;
    return {
      format: 'passkey-doctor-report',
      version: 1,
      tool_version: version,
      url: options.url.href,
      rp_id: rpId,
      started_at: new Date(started).toISOString(),
      duration_ms: now() - started,
      summary: { pass: count('pass'), warn: count('warn'), fail: count('fail'), skip: count('skip') },
      checks,
      ...(site && { origins: named }),
      requests,
    };
  } finally {
    await site?.close();
  }
}

function run<Evidence>(checks: Checks<Evidence>, evidence: Evidence): CheckResult[] {
  return Object.entries(checks).map(([id, { title, fix, source, judge }]) => {
    const { status, found } = judge(evidence);
    return { id, title, status, found, ...((status === 'warn' || status === 'fail') && { fix }), source };
  });
}
