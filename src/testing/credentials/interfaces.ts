import { readCreationOptions, readRequestOptions } from '../../client/options.js';
import { createReading } from '../../client/reading.js';
import { asObject } from '../../kernel/json-value.js';
import { decodeBase64url } from '../../webauthn/base64url.js';
import { parseOptions, parseOutputs } from '../../webauthn/credential-json.js';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '../../webauthn/json.js';
import { type Capabilities, SIGNALS } from './messages.js';
import { describeException, type Realm } from './realm.js';

/** Functions with which the WebAuthn interfaces in a page reach the client. */
interface ClientLink {
  capabilities(): Promise<Capabilities>;
  signal(name: (typeof SIGNALS)[number], options: unknown): Promise<void>;
}

/** WebAuthn interfaces of §5.1 and §5.2 for one realm, by name, and a function that makes a credential. */
interface Interfaces {
  readonly classes: Readonly<Record<string, object>>;
  credential(json: RegistrationResponseJSON | AuthenticationResponseJSON): object;
}

/** Key that lets only this module create instances. A page that calls the constructors gets an error, as in browsers. */
const MAKE = Symbol('make');

export function createInterfaces(realm: Realm, link: ClientLink): Interfaces {
  const buffer = (text: string) => realm.toBuffer(decodeBase64url(text));
  const maybeBuffer = (text: string | null | undefined) => (text === undefined || text === null ? null : buffer(text));

  const refuseUnlessMade = (token: unknown): void => {
    if (token !== MAKE) throw realm.exception({ kind: 'TypeError', name: 'TypeError', message: 'Illegal constructor' });
  };

  class AuthenticatorResponse {
    readonly #clientDataJSON: ArrayBuffer;

    constructor(token: unknown, clientDataJSON: string) {
      refuseUnlessMade(token);
      this.#clientDataJSON = buffer(clientDataJSON);
    }

    get clientDataJSON(): ArrayBuffer {
      return this.#clientDataJSON;
    }
  }

  class AuthenticatorAttestationResponse extends AuthenticatorResponse {
    readonly #json: RegistrationResponseJSON['response'];
    readonly #attestationObject: ArrayBuffer;

    constructor(token: unknown, json: RegistrationResponseJSON['response']) {
      refuseUnlessMade(token);
      super(token, json.clientDataJSON);
      this.#json = json;
      this.#attestationObject = buffer(json.attestationObject);
    }

    get attestationObject(): ArrayBuffer {
      return this.#attestationObject;
    }

    getTransports(): unknown {
      return realm.copy(this.#json.transports ?? []);
    }

    getAuthenticatorData(): ArrayBuffer {
      return buffer(this.#json.authenticatorData ?? '');
    }

    getPublicKey(): ArrayBuffer | null {
      return maybeBuffer(this.#json.publicKey);
    }

    getPublicKeyAlgorithm(): number | undefined {
      return this.#json.publicKeyAlgorithm;
    }
  }

  class AuthenticatorAssertionResponse extends AuthenticatorResponse {
    readonly #authenticatorData: ArrayBuffer;
    readonly #signature: ArrayBuffer;
    readonly #userHandle: ArrayBuffer | null;

    constructor(token: unknown, json: AuthenticationResponseJSON['response']) {
      refuseUnlessMade(token);
      super(token, json.clientDataJSON);
      this.#authenticatorData = buffer(json.authenticatorData);
      this.#signature = buffer(json.signature);
      this.#userHandle = maybeBuffer(json.userHandle);
    }

    get authenticatorData(): ArrayBuffer {
      return this.#authenticatorData;
    }

    get signature(): ArrayBuffer {
      return this.#signature;
    }

    get userHandle(): ArrayBuffer | null {
      return this.#userHandle;
    }
  }

  class Credential {
    constructor(token?: unknown) {
      refuseUnlessMade(token);
    }
  }

  // Its base is set below: the Credential of a browser cannot be called.
  class PublicKeyCredential {
    readonly #json: RegistrationResponseJSON | AuthenticationResponseJSON;
    readonly #rawId: ArrayBuffer;
    readonly #response: AuthenticatorResponse;

    constructor(token: unknown, json: RegistrationResponseJSON | AuthenticationResponseJSON) {
      refuseUnlessMade(token);
      this.#json = json;
      this.#rawId = buffer(json.rawId);
      const { response } = json;
      this.#response =
        'attestationObject' in response
          ? new AuthenticatorAttestationResponse(MAKE, response)
          : new AuthenticatorAssertionResponse(MAKE, response);
    }

    get id(): string {
      return this.#json.id;
    }

    get type(): string {
      return this.#json.type;
    }

    get rawId(): ArrayBuffer {
      return this.#rawId;
    }

    get response(): AuthenticatorResponse {
      return this.#response;
    }

    get authenticatorAttachment(): string | null {
      return this.#json.authenticatorAttachment ?? null;
    }

    getClientExtensionResults(): unknown {
      return parseOutputs(this.#json.clientExtensionResults, realm.toBuffer);
    }

    toJSON(): unknown {
      return realm.copy(this.#json);
    }

    static isConditionalMediationAvailable(): Promise<boolean> {
      return realm.promise(async () => (await link.capabilities())['conditionalGet'] ?? false);
    }

    static isUserVerifyingPlatformAuthenticatorAvailable(): Promise<boolean> {
      return realm.promise(async () => (await link.capabilities())['userVerifyingPlatformAuthenticator'] ?? false);
    }

    static getClientCapabilities(): Promise<unknown> {
      return realm.promise(async () => realm.copy(await link.capabilities()));
    }

    static parseCreationOptionsFromJSON(json: unknown): object {
      return parsed(realm, json, readCreationOptions);
    }

    static parseRequestOptionsFromJSON(json: unknown): object {
      return parsed(realm, json, readRequestOptions);
    }
  }

  for (const name of SIGNALS) {
    const signal = { [name]: (options: unknown) => realm.promise(() => link.signal(name, options)) }[name];
    Object.defineProperty(PublicKeyCredential, name, { value: signal, writable: true, enumerable: true, configurable: true });
  }
  const classes = {
    PublicKeyCredential,
    AuthenticatorResponse,
    AuthenticatorAttestationResponse,
    AuthenticatorAssertionResponse,
  };
  inherit(PublicKeyCredential, Reflect.get(realm.global, 'Credential') ?? Credential);
  for (const [name, each] of Object.entries({ ...classes, Credential })) dress(name, each);
  return {
    classes: 'Credential' in realm.global ? classes : { ...classes, Credential },
    credential: (json) => new PublicKeyCredential(MAKE, json),
  };
}

/**
 * Parses options from JSON as the client does. Throws the errors of this conversion, but not the errors that only a call of `create()` or
 * `get()` can have.
 */
function parsed(realm: Realm, json: unknown, read: (json: unknown, reading: ReturnType<typeof createReading>) => unknown): object {
  try {
    read(json, { ...createReading('browser', () => undefined), forCall: false });
    return parseOptions(asObject(json), realm.toBuffer);
  } catch (error) {
    throw realm.exception(describeException(error));
  }
}

interface Class {
  readonly prototype: object;
}

function inherit(derived: Class, base: Class): void {
  Object.setPrototypeOf(derived.prototype, base.prototype);
  Object.setPrototypeOf(derived, base);
}

/** Makes a class look like a Web IDL interface: its members are enumerable, and `Object.prototype.toString` shows its name. */
function dress(name: string, { prototype }: Class): void {
  for (const member of Object.getOwnPropertyNames(prototype)) {
    if (member !== 'constructor') Object.defineProperty(prototype, member, { enumerable: true });
  }
  Object.defineProperty(prototype, Symbol.toStringTag, { value: name, configurable: true });
}
