// `node .ci/audit.mjs [SECONDS]`: prints in one line what npm knows to be vulnerable among the dependencies. It reports only: it never
// fails, without a network neither, and waits no longer than that (default: 30).
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const seconds = Number(process.argv[2] ?? 30);
const argv = ['audit', '--json', '--package-lock-only', '--fetch-retries=0', `--fetch-timeout=${seconds * 1000}`];
const { stdout, error } = spawnSync('npm', argv, {
  cwd: resolve(import.meta.dirname, '..'),
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'ignore'],
  maxBuffer: 64 * 1024 * 1024,
  timeout: seconds * 1000,
  killSignal: 'SIGKILL',
});

console.log(`npm audit: ${error === undefined ? summaryOf(stdout) : `no report (${error.code})`}`);

function summaryOf(text) {
  try {
    const { vulnerabilities, metadata, message } = JSON.parse(text);
    if (metadata === undefined) return `no report (${String(message).split('\n')[0]})`;
    const { total, ...counts } = metadata.vulnerabilities;
    if (total === 0) return `no known vulnerability in ${metadata.dependencies.total} packages`;
    const severities = Object.entries(counts).filter(([, count]) => count > 0);
    return `${severities.map(([severity, count]) => `${count} ${severity}`).join(', ')}: ${Object.keys(vulnerabilities).join(', ')}`;
  } catch {
    return 'no report (no JSON)';
  }
}
