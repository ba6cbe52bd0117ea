import { PasskeyError } from '../../errors.js';
import { isLoopbackHost } from '../../webauthn/loopback.js';

/**
 * Whether the user has allowed attacks on this host with `--allow-host`. Without that, attacks go only to this machine. Of all DNS names,
 * only `localhost` and names below it count as this machine, whatever their addresses.
 */

function isNamed({ hostname, host }: URL, allowHosts: readonly string[]): boolean {
  return allowHosts.some((allowed) => [hostname, host].includes(allowed.toLowerCase()));
}

/**
 * Checks that a run may attack this URL.
 *
 * @param allowHosts hosts of `--allow-host`, with or without a port.
 * @throws PasskeyError `usage` for a host that is neither this machine nor allowed.
 */
export function checkAllowed(url: URL, allowHosts: readonly string[]): void {
  if (isLoopbackHost(url.hostname) || isNamed(url, allowHosts)) return;
  const advice = `If ${url.hostname} is your test system, repeat the command with --allow-host ${url.hostname}.`;
  throw new PasskeyError('usage', `Expected a target on this machine, because attacks are sent to it; got ${url.hostname}. ${advice}`);
}

/**
 * Whether a run may request a URL that the target sent in a response or a redirect. It may if the URL is on the target's host, on this
 * machine if the target runs there, or on a host that the user has allowed.
 */
export function mayFollow(url: URL, target: URL, allowHosts: readonly string[]): boolean {
  const local = isLoopbackHost(target.hostname) && isLoopbackHost(url.hostname);
  return url.hostname === target.hostname || local || isNamed(url, allowHosts);
}
