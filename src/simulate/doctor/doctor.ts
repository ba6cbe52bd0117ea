import { gatherFacts, type MadeRequest, type Reach } from './facts.js';
import { FILE_CHECKS } from './file-checks.js';
import type { Check, CheckStatus } from './judgement.js';
import type { CheckResult, DoctorReport } from './report.js';
import { SITE_CHECKS } from './site-checks.js';

interface DoctorOptions extends Reach {
  readonly url: URL;
  /** Default: the host of `url`. */
  readonly rpId?: string | undefined;
  readonly now: () => number;
  /** Version of the tool, for the report. */
  readonly version: string;
}

const CHECKS: readonly Check[] = [...SITE_CHECKS, ...FILE_CHECKS];

/**
 * Examines the deployment of a site with passkeys.
 *
 * @throws PasskeyError `target_unreachable` when the page never answered, `interrupted`.
 */
export async function examine({ version, now, ...options }: DoctorOptions): Promise<DoctorReport> {
  const started = now();
  const requests: MadeRequest[] = [];
  const facts = await gatherFacts({ ...options, now: started }, (request) => requests.push(request));
  const checks = CHECKS.map(({ judge, ...check }): CheckResult => describe(check, judge(facts)));
  const count = (status: CheckStatus) => checks.filter((check) => check.status === status).length;
  return {
    format: 'passkey-doctor-report',
    version: 1,
    tool_version: version,
    url: options.url.href,
    rp_id: facts.rpId,
    started_at: new Date(started).toISOString(),
    duration_ms: now() - started,
    summary: { pass: count('pass'), warn: count('warn'), fail: count('fail'), skip: count('skip') },
    checks,
    requests,
  };
}

function describe({ id, title, fix, source }: Omit<Check, 'judge'>, { status, found }: ReturnType<Check['judge']>): CheckResult {
  return { id, title, status, found, ...((status === 'warn' || status === 'fail') && { fix }), source };
}
