import type { SoftwareAuthenticator } from '../../authenticator/authenticator.js';
import type { Authenticator } from '../../authenticator/ports.js';
import { chooseNewest } from '../../authenticator/settings.js';
import type { Client } from '../../client/client.js';
import type { CreateOptions } from '../../client/create.js';
import type { Assertion, CreatedCredential } from '../../client/dictionaries.js';
import type { GetOptions } from '../../client/get.js';
import type { CredentialPicker } from '../../client/platform.js';
import type { Autofill } from './autofill.js';
import type { CallOptions } from './messages.js';
import { type CeremonyOutcome, makeFailure } from './outcomes.js';

export interface Ceremony {
  readonly operation: 'create' | 'get';
  readonly options: CallOptions;
  readonly signal: AbortSignal;
}

/** Everything that a ceremony needs in addition to the page's call. */
interface Stage {
  readonly authenticator: SoftwareAuthenticator;
  readonly autofill: Autofill;
  /** Whether conditional calls wait for the user to pick from the autofill list. */
  readonly waits: boolean;
  /** Removes and returns the outcome that the test has set for the next ceremony; undefined if there is none. */
  nextOutcome(): CeremonyOutcome | undefined;
  clientWith(authenticator: Authenticator, pickCredential: CredentialPicker): Client;
}

/**
 * Runs one call of `create()` or `get()`. An outcome set by the test replaces only the authenticator's response: the client still reads the
 * options and throws the exception.
 */
export async function runCeremony(stage: Stage, { operation, options, signal }: Ceremony): Promise<CreatedCredential | Assertion> {
  const { authenticator, autofill } = stage;
  const waits = stage.waits && operation === 'get' && options.mediation === 'conditional';
  let outcome = waits ? undefined : stage.nextOutcome();
  let pick: CredentialPicker = chooseNewest;
  let leave = (): void => undefined;
  const behind: Authenticator = {
    get info() {
      return authenticator.info;
    },
    makeCredential: async (request) => (outcome ? makeFailure(outcome, operation) : await authenticator.makeCredential(request)),
    getAssertion: async (request) =>
      outcome && request.requireUserPresence ? makeFailure(outcome, operation) : await authenticator.getAssertion(request),
    async discover(rpId) {
      if (waits) {
        const place = autofill.enter({ rpId, offers: () => authenticator.discover(rpId) });
        leave = place.leave;
        pick = await place.picked;
        outcome = stage.nextOutcome();
      }
      return await authenticator.discover(rpId);
    },
    getKeyAgreement: (protocol) => authenticator.getKeyAgreement(protocol),
  };
  const client = stage.clientWith(behind, (credentials) => pick(credentials));
  // The client reads what the page gave, whatever its types are.
  const given = { ...options, signal };
  try {
    return operation === 'create' ? await client.create(given as CreateOptions) : await client.get(given as GetOptions);
  } finally {
    leave();
  }
}
