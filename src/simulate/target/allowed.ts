import { PasskeyError } from '../../errors.js';
import { isLoopbackHost } from '../../webauthn/loopback.js';

/**
 * Whether a run may send requests to a host: attacks go to this machine, and elsewhere only to hosts that the user has named. A DNS name
 * never counts as this machine, whatever its address, except `localhost` and names below it.
 */

function isNamed({ hostname, host }: URL, allowHosts: readonly string[]): boolean {
  return allowHosts.some((allowed) => [hostname, host].includes(allowed.toLowerCase()));
}

/**
 * Checks the URL of a target.
 *
 * @param allowHosts hosts of `--allow-host`, with a port or without.
 * @throws PasskeyError `usage` for a host that is neither this machine nor allowed.
 */
export function checkAllowed(url: URL, allowHosts: readonly string[]): void {
  if (isLoopbackHost(url.hostname) || isNamed(url, allowHosts)) return;
  const advice = `If ${url.hostname} is a test system of yours, repeat the command with --allow-host ${url.hostname}.`;
  throw new PasskeyError('usage', `Expected a target on this machine, since attacks are sent to it; got ${url.hostname}. ${advice}`);
}

/**
 * Whether a URL from an answer or a redirect of the target may be requested: on the target's host, on this machine if the target runs
 * there, or on a host that the user allows.
 */
export function mayFollow(url: URL, target: URL, allowHosts: readonly string[]): boolean {
  const local = isLoopbackHost(target.hostname) && isLoopbackHost(url.hostname);
  return url.hostname === target.hostname || local || isNamed(url, allowHosts);
}
