import { PasskeyError } from '../../errors.js';
import { isLoopbackHost } from '../../webauthn/loopback.js';

/**
 * Whether the user has allowed attacks on this host with `--allow-host`. Otherwise, attacks go only to this machine. The only DNS names
 * that count as this machine are `localhost` and names below it; the addresses of other names do not matter.
 */

function isNamed({ hostname, host }: URL, allowHosts: readonly string[]): boolean {
  return allowHosts.some((allowed) => [hostname, host].includes(allowed.toLowerCase()));
}

/**
 * Checks that a run may attack the server at this URL.
 *
 * @param allowHosts hosts given with `--allow-host`, each with or without a port.
 * @throws PasskeyError `usage` for a host that is neither this machine nor allowed.
 */
export function checkAllowed(url: URL, allowHosts: readonly string[]): void {
  if (isLoopbackHost(url.hostname) || isNamed(url, allowHosts)) return;
  const advice = `If ${url.hostname} is your test system, repeat the command with --allow-host ${url.hostname}.`;
  throw new PasskeyError('usage', `Expected a target on this machine, because attacks are sent to it; got ${url.hostname}. ${advice}`);
}

/**
 * Decides whether a run may request a URL that the target sent in a response or a redirect. It may if the URL's host is the target's host
 * or a host that the user has allowed, or if both the target and the URL are on this machine.
 */
export function mayFollow(url: URL, target: URL, allowHosts: readonly string[]): boolean {
  const local = isLoopbackHost(target.hostname) && isLoopbackHost(url.hostname);
  return url.hostname === target.hostname || local || isNamed(url, allowHosts);
}
