import type { SoftwareAuthenticator } from '../../authenticator/authenticator.js';
import type { Authenticator, AuthenticatorInfo } from '../../authenticator/ports.js';
import { type ClientOptions, createClient } from '../../client/client.js';
import type { CreateOptions } from '../../client/create.js';
import type { Assertion, CreatedCredential } from '../../client/dictionaries.js';
import type { GetOptions } from '../../client/get.js';
import type { CredentialPicker } from '../../client/platform.js';
import type { AllAcceptedCredentialsInput, CurrentUserDetailsInput, UnknownCredentialInput } from '../../client/signals.js';
import { listNames } from '../../webauthn/enumerations.js';
import { EXTENSION_INPUTS, findExtensionInput } from '../../webauthn/extensions.js';
import { remember } from '../made-ceremonies.js';
import type { OptionNames } from '../refuse-unknown.js';
import { type AutofillOptions, createAutofill } from './autofill.js';
import { type Ceremony, runCeremony } from './ceremony.js';
import { alreadyPending, type CallingPage, type Connection, createConnection } from './connection.js';
import { type CallOptions, type Capabilities, SIGNALS, type SignalName } from './messages.js';
import { type CeremonyOutcome, checkOutcome } from './outcomes.js';
import { describeException } from './realm.js';
import { type HeldCredentials, heldCredentials, SOFTWARE_OPTIONS, type SoftwareOptions, softwareAuthenticator } from './software.js';

/** Options for the client and the authenticator behind a page. */
export interface BrowserOptions extends SoftwareOptions, Pick<ClientOptions, 'fetch' | 'mode' | 'onRemark' | 'enterpriseRpIds'> {
  /**
   * Behaviour of `get()` with mediation `conditional`. `wait` (default): it waits until the test calls `autofill()`. `answer`: it returns
   * the newest credential at once.
   */
  readonly conditional?: (typeof CONDITIONAL)[number];
}

/** Names of all options of {@link BrowserOptions}, for `refuseUnknown`. */
export const BROWSER_OPTIONS: OptionNames<BrowserOptions> = {
  ...SOFTWARE_OPTIONS,
  fetch: true,
  mode: true,
  onRemark: true,
  enterpriseRpIds: true,
  conditional: true,
};

const CONDITIONAL = ['wait', 'answer'] as const;

/** A call of `create()` or `get()` that has ended. */
export interface CeremonyCall {
  readonly operation: 'create' | 'get';
  readonly origin: string;
  /** Options that the page passed, with bytes in base64url. */
  readonly options: CallOptions;
  readonly response?: CreatedCredential | Assertion;
  /** Name of the exception that the page received, if the call failed. */
  readonly error?: string;
}

/** Lets a test control the authenticator behind a page. */
export interface BrowserCredentials {
  readonly authenticator: SoftwareAuthenticator;
  readonly credentials: HeldCredentials;
  /** Calls that have ended, oldest first. */
  readonly calls: readonly CeremonyCall[];
  /** Number of conditional calls of `get()` that wait for {@link autofill}. */
  readonly waiting: number;
  /**
   * Sets how the next calls of `create()` and `get()` end, one outcome for each call. A conditional call uses up its outcome only when the
   * user picks. Calls after these succeed again.
   *
   * @throws TypeError for a name that is not an outcome.
   */
  next(...outcomes: readonly CeremonyOutcome[]): void;
  /**
   * Picks from the autofill list as the user would, which completes the latest conditional `get()`. Waits for a page that has not called
   * `get()` yet.
   *
   * @throws TypeError if no page calls `get()` before the timeout, or if the list is empty.
   */
  autofill(options?: AutofillOptions): Promise<void>;
}

export interface Host {
  readonly controls: BrowserCredentials;
  /**
   * Connects a document to the client.
   *
   * @param tab the tab of the document; it can have one pending request at a time.
   */
  connect(tab: object): Connection;
}

type SignalInput = UnknownCredentialInput & AllAcceptedCredentialsInput & CurrentUserDetailsInput;

/**
 * Creates the client and the authenticator behind pages.
 *
 * @throws TypeError as {@link softwareAuthenticator} does, and for an unknown value of `conditional`.
 */
export function createHost(options: BrowserOptions): Host {
  const { conditional = 'wait', fetch, mode, onRemark, enterpriseRpIds } = options;
  // A misspelled "answer" would wait for a user who never picks.
  if (!CONDITIONAL.includes(conditional)) {
    throw new TypeError(`Expected conditional to be one of ${CONDITIONAL.join(', ')}; got ${JSON.stringify(conditional)}.`);
  }
  const behaviour = {
    ...(fetch && { fetch }),
    ...(mode && { mode }),
    ...(onRemark && { onRemark }),
    ...(enterpriseRpIds && { enterpriseRpIds }),
  };
  const authenticator = softwareAuthenticator(options);
  const autofill = createAutofill();
  const outcomes: CeremonyOutcome[] = [];
  const calls: CeremonyCall[] = [];

  const stageOf = (page: CallingPage) => ({
    authenticator,
    autofill,
    waits: conditional === 'wait',
    nextOutcome: () => outcomes.shift(),
    clientWith: (behind: Authenticator, pickCredential: CredentialPicker) =>
      createClient({ ...behaviour, ...page, authenticator: behind, pickCredential }),
  });

  const call = async (page: CallingPage, ceremony: Ceremony, isFree: boolean) => {
    const entry = { operation: ceremony.operation, origin: page.origin, options: ceremony.options };
    try {
      if (!isFree) throw alreadyPending();
      const response = await runCeremony(stageOf(page), ceremony);
      // The client has read the options, whatever their types are.
      const { publicKey } = ceremony.options as CreateOptions | GetOptions;
      await remember({ response, options: publicKey, origin: page.origin, topOrigin: page.topOrigin }, authenticator);
      calls.push({ ...entry, response });
      return response;
    } catch (error) {
      calls.push({ ...entry, error: describeException(error).name });
      throw error;
    }
  };

  const others = {
    capabilities: () => readCapabilities(authenticator.info, { relatedOrigins: fetch !== undefined }),
    // The client reads what the page gave, whatever its types are.
    signal: (page: CallingPage, name: SignalName, given: unknown) =>
      createClient({ ...behaviour, ...page, authenticator })[name](given as SignalInput),
  };
  const pending = new WeakMap<object, AbortController>();

  return {
    controls: {
      authenticator,
      credentials: heldCredentials(authenticator),
      calls,
      get waiting() {
        return autofill.waiting;
      },
      next: (...names) => void outcomes.push(...names.map(checkOutcome)),
      autofill: (picking) => autofill.pick(picking),
    },
    connect: (tab) => createConnection({ tab, pending, call, ...others }),
  };
}

/** Extensions that the client processes without the authenticator (§10.1.1 to §10.1.3). */
const OF_THE_CLIENT: readonly string[] = ['appid', 'appidExclude', 'credProps'];

/** Returns the result of `getClientCapabilities()` (§5.1.7) for a client with this authenticator. */
function readCapabilities(info: AuthenticatorInfo, { relatedOrigins }: { readonly relatedOrigins: boolean }): Capabilities {
  const verifyingPlatform = info.attachment === 'platform' && info.userVerification;
  const hybrid = info.transports.includes('hybrid');
  return {
    conditionalCreate: info.residentKey,
    conditionalGet: info.residentKey,
    hybridTransport: hybrid,
    passkeyPlatformAuthenticator: info.residentKey && (verifyingPlatform || hybrid),
    userVerifyingPlatformAuthenticator: verifyingPlatform,
    relatedOrigins,
    ...Object.fromEntries(SIGNALS.map((name) => [name, true])),
    ...Object.fromEntries(listNames(EXTENSION_INPUTS).map((name) => [`extension:${name}`, hasExtension(info, name)])),
  };
}

function hasExtension({ extensions = [] }: AuthenticatorInfo, name: string): boolean {
  const { authenticator } = findExtensionInput(name) ?? {};
  return OF_THE_CLIENT.includes(name) || extensions.includes(name) || (authenticator !== undefined && extensions.includes(authenticator));
}
