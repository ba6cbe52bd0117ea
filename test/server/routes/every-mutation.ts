import type { LightMyRequestResponse } from 'fastify';
import { createAuthenticator, type SoftwareAuthenticator } from '../../../src/authenticator/authenticator.js';
import { createClient } from '../../../src/client/client.js';
import { isObject } from '../../../src/kernel/json-value.js';
import { type Case, placeFor } from '../../../src/simulate/engine/case.js';
import type { CeremonyCase } from '../../../src/simulate/engine/ceremony-cases.js';
import { TOP_ORIGIN } from '../../../src/simulate/engine/demands.js';
import { findMutationCase } from '../../../src/simulate/mutations/mutation.js';
import { OWN_ORIGIN, Service } from '../app.js';

/** One challenge in four reads the same in both alphabets of base64; some keys and signatures have no short number. */
const BY_CHANCE = /it would leave the response as it is|alphabets of base64/;
const TRIES = 20;

export interface Judged {
  readonly outcome: 'accepted' | 'refused';
  readonly code: string | null;
  readonly step: string | null;
}

/** What a correct relying party answers to a mutation. */
export function expectedOf({ expected }: Pick<Case, 'expected'>): Judged {
  return expected.outcome === 'verified'
    ? { outcome: 'accepted', code: null, step: null }
    : { outcome: 'refused', code: expected.code, step: expected.step ?? null };
}

const services = new Map<string, Promise<Service>>();

/** One server for every policy that a mutation wants. */
async function serverFor(found: CeremonyCase): Promise<{ readonly service: Service; readonly origin: string }> {
  const { setup, origin = OWN_ORIGIN } = placeFor(found);
  const key = JSON.stringify(setup);
  const made =
    services.get(key) ??
    Service.start({
      policy: { ...setup?.policy },
      settings: { origins: setup?.origins === undefined ? [] : [origin, ...setup.origins] },
      maxPasskeys: 10_000,
    });
  services.set(key, made);
  return { service: await made, origin };
}

export async function closeServers(): Promise<void> {
  for (const service of services.values()) await (await service).app.close();
  services.clear();
}

type How = 'answered' | 'tampered';

/** Runs a mutation by its id through options, `POST /dev/answer` or `POST /dev/tamper`, and the endpoint that ends the ceremony. */
export async function judged(id: string, how: How): Promise<Judged> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await judgedOnce(findMutationCase(id), how);
    } catch (error) {
      if (tries === TRIES || !(error instanceof Error) || !BY_CHANCE.test(error.message)) throw error;
    }
  }
}

async function judgedOnce(found: CeremonyCase, how: How): Promise<Judged> {
  const { service, origin } = await serverFor(found);
  const ceremony = new Ceremony(service, { found, origin, how });
  return await (found.ceremony === 'registration' ? ceremony.register() : ceremony.logIn());
}

interface About {
  readonly found: CeremonyCase;
  readonly origin: string;
  readonly how: How;
}

class Ceremony {
  readonly #service: Service;
  readonly #about: About;
  readonly #authenticator: SoftwareAuthenticator;

  constructor(service: Service, about: About) {
    this.#service = service;
    this.#about = about;
    this.#authenticator = createAuthenticator({ ...about.found.browser?.authenticator });
  }

  async register(): Promise<Judged> {
    const options = await this.#creationOptions();
    const response = await this.#broken(options, async () => ({ ...(await this.#client().create({ publicKey: options as never })) }));
    return judgedBy(await this.#service.post('/api/passkeys/register', response));
  }

  async logIn(): Promise<Judged> {
    const id = await this.#registered();
    const { wants = {} } = this.#about.found;
    const options = await this.#requestOptions(id);
    const response = await this.#broken(options, async () => ({ ...(await this.#client().get({ publicKey: options as never })) }), id);
    return judgedBy(await this.#service.post(`/api/passkeys/${wants.endpoint ?? 'login'}`, response, { token: null }));
  }

  #client() {
    return createClient({ authenticator: this.#authenticator, origin: this.#about.origin });
  }

  async #creationOptions(more: object = {}): Promise<object> {
    return await this.#posted('/dev/register/options', {
      app_name: 'App',
      app_url: this.#about.origin,
      options: { excludeCredentials: [], ...more },
    });
  }

  async #requestOptions(id: string): Promise<object> {
    const { found, origin } = this.#about;
    const rpId = new URL(origin).hostname;
    if (found.wants?.login === 'discoverable') return await this.#posted('/dev/login/options', { app_url: origin });
    return { ...(await this.#posted('/dev/verify/options', { credential_id: id })), rpId };
  }

  /** With a passkey of the kind that the mutation is about: its ID. */
  async #registered(): Promise<string> {
    const { found, how, origin } = this.#about;
    const { algorithms = [-7], backupEligible, backupState, signCount } = found.browser?.authenticator ?? {};
    const options = await this.#creationOptions({
      pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
      authenticatorSelection: { residentKey: 'required' },
    });
    const persona = signCount !== undefined ? 'yubikey-5' : backupState === true ? 'icloud-keychain' : undefined;
    const tamper = backupEligible === true && backupState === undefined ? 'register.backup-eligible' : undefined;
    const response =
      how === 'tampered'
        ? { ...(await this.#client().create({ publicKey: options as never })) }
        : await this.#responseTo('/dev/answer', { options, origin, persona, tamper });
    const registered = await this.#service.post('/api/passkeys/register', response);
    if (registered.statusCode !== 200) throw new Error(registered.body);
    return decodedId(response);
  }

  async #broken(options: object, honest: () => Promise<object>, credentialId?: string): Promise<object> {
    const { found, origin, how } = this.#about;
    const { id, wants = {} } = found;
    if (how === 'tampered') return await this.#responseTo('/dev/tamper', { id, options, response: await honest() });
    return await this.#responseTo('/dev/answer', {
      options,
      origin,
      tamper: id,
      ...(wants.topOrigin === true && { top_origin: TOP_ORIGIN }),
      ...(credentialId !== undefined && { credential_id: credentialId }),
      ...(found.browser?.authenticator?.signCount !== undefined && { persona: 'yubikey-5' }),
    });
  }

  async #responseTo(path: string, body: object): Promise<object> {
    const { response } = await this.#posted(path, body);
    if (!isObject(response)) throw new Error(`Expected ${path} to answer with a response.`);
    return response;
  }

  async #posted(path: string, body: object): Promise<Record<string, unknown>> {
    const reply = await this.#service.post(path, body, path === '/dev/register/options' ? {} : { token: null });
    if (reply.statusCode !== 200) throw new Error(`${path}: ${reply.body}`);
    return reply.json();
  }
}

function decodedId(response: object): string {
  return String(Object.entries(response).find(([name]) => name === 'id')?.[1]);
}

function judgedBy(reply: LightMyRequestResponse): Judged {
  if (reply.statusCode === 200) return { outcome: 'accepted', code: null, step: null };
  const { code, step } = reply.json();
  return { outcome: 'refused', code, step: step?.slug ?? null };
}
