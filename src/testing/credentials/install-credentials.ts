import { checkOrigin } from '../../client/caller.js';
import { asObject } from '../../kernel/json-value.js';
import { type OptionNames, refuseUnknown } from '../refuse-unknown.js';
import type { CallingPage } from './connection.js';
import { hideContainer, installContainer } from './container.js';
import { BROWSER_OPTIONS, type BrowserCredentials, type BrowserOptions, createHost } from './host.js';

export interface InstallOptions extends BrowserOptions, Omit<CallingPage, 'origin'> {
  /** Serialized origin of the page, e.g. `https://example.com`. Default: the origin of `location`, which plain Node does not have. */
  readonly origin?: string;
  /**
   * Global object in which `navigator.credentials` is installed; default: `globalThis`. If you create a jsdom yourself, pass its `window`.
   */
  readonly target?: object;
  /** Whether WebAuthn exists. `false` removes it, as in a browser without WebAuthn; default: true. */
  readonly supported?: boolean;
}

/** An installed `navigator.credentials`, which stays until it is uninstalled. */
export interface InstalledCredentials extends BrowserCredentials {
  /** Restores the previous state and aborts pending calls. */
  uninstall(): void;
  [Symbol.dispose](): void;
}

const INSTALL_OPTIONS: OptionNames<InstallOptions> = {
  ...BROWSER_OPTIONS,
  origin: true,
  topOrigin: true,
  crossOrigin: true,
  permissionsPolicy: true,
  target: true,
  supported: true,
};

const installed = new WeakSet<object>();

/**
 * Installs a software authenticator behind `navigator.credentials` of this process: in plain Node, or in the window of jsdom.
 * `PublicKeyCredential` and the other interfaces of W3C WebAuthn L3 §5 exist with their static methods, and results are instances of them.
 *
 * @throws TypeError if an authenticator is already installed, if there is no origin, and for wrong or unknown options.
 */
export function installCredentials(options: InstallOptions = {}): InstalledCredentials {
  refuseUnknown('installCredentials()', options, INSTALL_OPTIONS);
  const { origin, target = globalThis, supported = true, topOrigin, crossOrigin, permissionsPolicy } = options;
  if (installed.has(target)) {
    throw new TypeError('Expected no software authenticator behind navigator.credentials yet; there is one. Call its uninstall() first.');
  }
  const { controls, connect } = createHost(options);
  const connection = connect(target);
  const embedding = {
    ...(topOrigin !== undefined && { topOrigin }),
    ...(crossOrigin !== undefined && { crossOrigin }),
    ...(permissionsPolicy && { permissionsPolicy }),
  };
  const caller = (): CallingPage => ({ origin: checkOrigin(readOrigin(target, origin), 'origin'), ...embedding });
  caller();
  const put = supported ? installContainer(target, (message) => connection.answer(message, caller)) : hideContainer(target);
  installed.add(target);
  const uninstall = () => {
    if (!installed.delete(target)) return;
    connection.close();
    put();
  };
  return {
    ...controls,
    get waiting() {
      return controls.waiting;
    },
    uninstall,
    [Symbol.dispose]: uninstall,
  };
}

/** Reads the origin of the page. Each call reads it again, because the page may have navigated. */
function readOrigin(target: object, given: string | undefined): string {
  if (given !== undefined) return given;
  const { origin } = asObject(Reflect.get(target, 'location'));
  if (typeof origin === 'string') return origin;
  throw new TypeError('Expected an origin, such as "https://example.com", because there is no location here to take it from.');
}
