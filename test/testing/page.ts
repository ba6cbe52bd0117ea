/** What our tests use of a page's globals. The interfaces of the DOM library belong to another program. */
interface PageGlobals {
  readonly navigator: {
    readonly credentials: {
      create(options?: object): Promise<PageCredential>;
      get(options?: object): Promise<PageCredential>;
    };
  };
  readonly PublicKeyCredential: PageClass & {
    isConditionalMediationAvailable(): Promise<boolean>;
    isUserVerifyingPlatformAuthenticatorAvailable(): Promise<boolean>;
    getClientCapabilities(): Promise<Readonly<Record<string, boolean>>>;
    parseCreationOptionsFromJSON(json: object): object;
    parseRequestOptionsFromJSON(json: object): object;
    signalUnknownCredential(options: object): Promise<void>;
    signalAllAcceptedCredentials(options: object): Promise<void>;
    signalCurrentUserDetails(options: object): Promise<void>;
  };
  readonly AuthenticatorAttestationResponse: PageClass;
  readonly AuthenticatorAssertionResponse: PageClass;
  readonly AuthenticatorResponse: PageClass;
  readonly Credential: PageClass;
  readonly DOMException: PageClass;
  readonly ArrayBuffer: PageClass;
  readonly isSecureContext: boolean;
}

type PageClass = new (...args: readonly unknown[]) => object;

export interface PageCredential {
  readonly id: string;
  readonly type: string;
  readonly rawId: ArrayBuffer;
  readonly authenticatorAttachment: string | null;
  readonly response: PageResponse;
  getClientExtensionResults(): Readonly<Record<string, unknown>>;
  toJSON(): never;
}

interface PageResponse {
  readonly clientDataJSON: ArrayBuffer;
  readonly attestationObject: ArrayBuffer;
  readonly authenticatorData: ArrayBuffer;
  readonly signature: ArrayBuffer;
  readonly userHandle: ArrayBuffer | null;
  getTransports(): string[];
  getAuthenticatorData(): ArrayBuffer;
  getPublicKey(): ArrayBuffer | null;
  getPublicKeyAlgorithm(): number;
}

/** The page of this test, read anew at each access: it comes and goes. */
export const page: PageGlobals = pageIn(globalThis);

export function pageIn(global: object): PageGlobals {
  return Object.create(
    null,
    Object.fromEntries(
      [
        'navigator',
        'PublicKeyCredential',
        'AuthenticatorAttestationResponse',
        'AuthenticatorAssertionResponse',
        'AuthenticatorResponse',
        'Credential',
        'DOMException',
        'ArrayBuffer',
        'isSecureContext',
      ].map((name) => [name, { get: (): unknown => Reflect.get(global, name) }]),
    ),
  );
}
