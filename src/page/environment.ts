import { isLoopbackAddress } from '../webauthn/loopback.js';
import { isIpAddress } from '../webauthn/rp-id.js';

/** Facts about the page and the browser that decide whether passkeys work. */
interface Surroundings {
  readonly url: string;
  readonly secureContext: boolean;
  readonly webAuthn: boolean;
  readonly framed: boolean;
  readonly mayCreate: boolean | undefined;
  readonly mayGet: boolean | undefined;
}

export interface Notice {
  readonly severity: 'error' | 'warning';
  readonly title: string;
  readonly detail: string;
  /** Address of this page at which passkeys would work. */
  readonly link?: string;
}

/** Name of the fragment member that prevents the redirection from a loopback address, to show how browsers react there. */
const STAY = 'stay';
/** Name of the fragment member that contains the address before a redirection. */
const FROM = 'from';
/** Name of the fragment member that contains the key. `serve` puts the key into the URL that it opens and prints. */
const KEY = 'key';

/** Replaces the host in the page's address by `localhost`, and keeps the port, the scheme and the setup in the fragment. */
function localhostUrl(url: string): string {
  const at = new URL(url);
  at.hostname = 'localhost';
  at.hash = withoutMembers(at.hash, [STAY, FROM]).toString();
  return at.href;
}

/** Finds the address to redirect to if the page was opened at a loopback address; undefined if the page should stay. */
export function redirection(url: string): string | undefined {
  const { hostname, hash } = new URL(url);
  if (!isLoopbackAddress(hostname) || readFragment(hash).has(STAY)) return undefined;
  const target = new URL(localhostUrl(url));
  const parameters = readFragment(target.hash);
  parameters.set(FROM, hostname);
  target.hash = parameters.toString();
  return target.href;
}

/**
 * Reads the key of `--dev-sign-in key` in the page's address. Gives the key, and the address without the key; undefined if there is no key.
 */
export function takeKey(url: string): { readonly key: string; readonly withoutKey: string } | undefined {
  const at = new URL(url);
  const key = readFragment(at.hash).get(KEY);
  if (key === null) return undefined;
  at.hash = withoutMembers(at.hash, [KEY]).toString();
  return { key, withoutKey: at.href };
}

/** Describes the redirection to users who came from a loopback address; empty if there was no redirection. */
export function arrival(url: string): string {
  const from = readFragment(new URL(url).hash).get(FROM) ?? '';
  return isIpAddress(from) ? `Opened at ${from}. Browsers refuse IP addresses as rp.id, so the page moved to localhost.` : '';
}

function readFragment(hash: string): URLSearchParams {
  return new URLSearchParams(hash.replace(/^#/, ''));
}

function withoutMembers(hash: string, names: readonly string[]): URLSearchParams {
  const parameters = readFragment(hash);
  for (const name of names) {
    parameters.delete(name);
  }
  return parameters;
}

/** Lists the reasons why passkeys will not work on this page, each with the remedy. */
export function noticesFor(at: Surroundings): Notice[] {
  const notices: Notice[] = [];
  const { hostname } = new URL(at.url);
  if (isIpAddress(hostname)) {
    const loopback = isLoopbackAddress(hostname);
    notices.push({
      severity: 'error',
      title: `Opened at an IP address (${hostname})`,
      detail: loopback
        ? 'Browsers refuse IP addresses as rp.id. The same server answers at localhost.'
        : 'Browsers refuse IP addresses as rp.id. Use a host name with https; localhost works only on the machine that runs the server.',
      ...(loopback ? { link: localhostUrl(at.url) } : {}),
    });
  }
  if (!at.secureContext) {
    notices.push({
      severity: 'error',
      title: 'Not a secure context',
      detail: 'Browsers offer passkeys on https and on http://localhost only.',
    });
  } else if (!at.webAuthn) {
    notices.push({
      severity: 'error',
      title: 'This browser has no WebAuthn',
      detail: 'PublicKeyCredential is missing: the browser is old, is a web view without WebAuthn, or a policy turned it off.',
    });
  }
  if (at.mayCreate === false || at.mayGet === false) {
    const missing = [...(at.mayCreate === false ? ['create'] : []), ...(at.mayGet === false ? ['get'] : [])];
    notices.push({
      severity: 'error',
      title: 'The permissions policy forbids passkeys here',
      detail: `Missing: ${missing.map((call) => `publickey-credentials-${call}`).join(', ')}. The embedding page must allow them.`,
    });
  } else if (at.framed) {
    notices.push({
      severity: 'warning',
      title: 'In an iframe',
      detail:
        'If the embedding page has another origin, ceremonies here are cross-origin, and the server refuses them unless --top-origin names that origin.',
    });
  }
  return notices;
}

/**
 * Tests whether this browser can create a passkey on this page: the page allows it, and the browser reports a platform authenticator or a
 * phone in reach. Ignores security keys, which are always possible.
 *
 * @param capabilities result of `getClientCapabilities()`. If it is empty, the browser reports nothing and is assumed to be able.
 */
export function hasAuthenticator(notices: readonly Notice[], capabilities: Readonly<Record<string, boolean>>): boolean {
  if (notices.some(({ severity }) => severity === 'error')) return false;
  const reported = ['passkeyPlatformAuthenticator', 'userVerifyingPlatformAuthenticator', 'hybridTransport'].filter(
    (name) => capabilities[name] !== undefined,
  );
  return reported.length === 0 || reported.some((name) => capabilities[name] === true);
}
