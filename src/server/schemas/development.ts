import * as Type from 'typebox';
import { MAX_TEXT_LENGTH, MAX_TIMEOUT } from '../../kernel/limits.js';
import { orNull, strict } from '../../kernel/schema-kit.js';
import type { Policy } from '../../relying-party/policy.js';
import type { CeremonyKind } from '../../webauthn/enumerations.js';
import { AppName, AppUrl, Base64, Base64url, Extensions, Text } from './text.js';

const Descriptor = Type.Object({
  id: Base64url('Credential ID'),
  type: Type.String(),
  transports: Type.Optional(Type.Array(Type.String())),
});
const Hints = Type.Array(Type.String());
const Timeout = Type.Integer({ minimum: 1, maximum: MAX_TIMEOUT });

/**
 * Members of the creation options that a request can change. These are all members except those that bind the ceremony, such as the
 * challenge.
 */
const CreationOptionsChange = Type.Object({
  pubKeyCredParams: Type.Optional(Type.Array(Type.Object({ type: Type.String(), alg: Type.Integer() }))),
  timeout: Type.Optional(Timeout),
  excludeCredentials: Type.Optional(Type.Array(Descriptor)),
  authenticatorSelection: Type.Optional(
    Type.Object({
      authenticatorAttachment: Type.Optional(Type.String()),
      residentKey: Type.Optional(Type.String()),
      requireResidentKey: Type.Optional(Type.Boolean()),
      userVerification: Type.Optional(Type.String()),
    }),
  ),
  hints: Type.Optional(Hints),
  attestation: Type.Optional(Type.String()),
  attestationFormats: Type.Optional(Type.Array(Type.String())),
  extensions: Type.Optional(Extensions),
});

const RequestOptionsChange = Type.Object({
  timeout: Type.Optional(Timeout),
  allowCredentials: Type.Optional(Type.Array(Descriptor)),
  userVerification: Type.Optional(Type.String()),
  hints: Type.Optional(Hints),
  extensions: Type.Optional(Extensions),
});

export const DevRegisterOptionsBody = Type.Object({
  app_name: Type.Optional(AppName),
  app_url: Type.Optional(AppUrl),
  mediation: Type.Optional(
    Type.Literal('conditional', { description: 'The page will call `create()` with this mediation, and therefore without user presence' }),
  ),
  options: Type.Optional(CreationOptionsChange),
});

export const DevVerifyOptionsBody = Type.Object({
  credential_id: Base64('Credential ID of a stored passkey'),
  options: Type.Optional(RequestOptionsChange),
});

export const DevLoginOptionsBody = Type.Object({ app_url: Type.Optional(AppUrl), options: Type.Optional(RequestOptionsChange) });

/** Body of `POST /dev/answer`. The options are in the member `options`, or in the member `publicKey`, in which servers wrap them. */
export const DevAnswerBody = Type.Object({
  options: Type.Optional(Type.Unknown({ description: 'Creation or request options as JSON, in any wrapping' })),
  publicKey: Type.Optional(Type.Unknown()),
  origin: Type.Optional(Type.String({ minLength: 1, description: 'Origin of the calling page; default: that of this server' })),
  top_origin: Type.Optional(Type.String({ minLength: 1 })),
  cross_origin: Type.Optional(Type.Boolean()),
  mediation: Type.Optional(Type.Literal('conditional')),
  persona: Type.Optional(Type.String()),
  user_verification: Type.Optional(Type.String()),
  credential_id: Type.Optional(Base64url('Credential ID, or the beginning of one; the login must use this credential')),
  tamper: Type.Optional(Type.String()),
});

/** Body of `POST /dev/tamper`. It contains the options in the same form as {@link DevAnswerBody}. */
export const DevTamperBody = Type.Object({
  id: Type.String({ minLength: 1, description: 'ID of the mutation' }),
  options: Type.Optional(Type.Unknown({ description: 'The options that the response answers, in any wrapping' })),
  publicKey: Type.Optional(Type.Unknown()),
  response: Type.Unknown({ description: 'RegistrationResponseJSON or AuthenticationResponseJSON of a browser' }),
});

/** Body of `POST /dev/site`. The settings of members that are missing stay unchanged. */
export const DevSiteBody = Type.Object({
  persona: Type.Optional(Type.String({ description: 'Persona that responds from now on; `plain` imitates none.' })),
  tamper: Type.Optional(
    orNull(Type.String({ description: 'ID of the mutation that breaks the next response of its kind; null cancels it.' })),
  ),
});

/** Longest delay of a scripted response, in milliseconds: a minute. */
const MAX_DELAY = 60_000;

/** Makes the schema for the body of `POST /dev/next`. @param operations names of the API operations whose responses can be scripted. */
export const makeDevNextBody = (operations: readonly string[]) =>
  Type.Object(
    {
      on: Type.Enum([...operations], {
        description: 'operationId in /openapi.json: the next request of this operation gets the response.',
      }),
      status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599, description: 'Default: 200.' })),
      headers: Type.Optional(
        Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), {
          description: 'Header fields that replace those of the server with the same names.',
        }),
      ),
      body: Type.Optional(Type.Unknown({ description: 'A string is sent verbatim, any other value as JSON.' })),
      delay: Type.Optional(
        Type.Integer({ minimum: 0, maximum: MAX_DELAY, description: 'Milliseconds before the response is sent; default: 0.' }),
      ),
    },
    strict,
  );

export const KeyBody = Type.Object({ key: Type.String({ maxLength: 100 }) });

export const SignInBody = Type.Object({
  email: Type.Optional(Text({ minLength: 3, maxLength: MAX_TEXT_LENGTH })),
  name: Type.Optional(Text({ minLength: 1, maxLength: MAX_TEXT_LENGTH })),
  owner: Type.Optional(Text({ minLength: 1, description: '`TYPE:ID`' })),
});

export const DevUser = Type.Object({ type: Type.String(), id: Type.Integer(), email: Type.String(), name: Type.String() }, strict);
export type DevUser = Type.Static<typeof DevUser>;

/**
 * Everything that this server can verify, under the names that creation and request options use. The development routes allow nothing else.
 */
export interface Verifiable {
  /** COSEAlgorithmIdentifiers with their names, as in `pubKeyCredParams`. */
  readonly algorithms: readonly { readonly id: number; readonly name: string }[];
  /** Extensions, each with the ceremonies in which it may be an input. Some also have the identifier that authenticators use. */
  readonly extensions: readonly {
    readonly name: string;
    readonly ceremonies: readonly CeremonyKind[];
    readonly authenticator: string | null;
  }[];
  /**
   * Attestation statement formats, as in `attestationFormats`. Each has the section of the standard that defines it, and says who makes
   * such statements.
   */
  readonly attestation_formats: readonly { readonly id: string; readonly section: string; readonly made_by: string }[];
}

/** Response of `GET /dev/state`: the server as the test page sees it, and the user who is signed in. */
export interface DevState {
  readonly mode: string;
  readonly origin: string;
  readonly origins: readonly string[];
  readonly rpId: string;
  readonly authAction: string;
  readonly ownerType: string;
  readonly policy: Policy;
  readonly verifiable: Verifiable;
  /**
   * Whether this browser may use the other `/dev/*` endpoints. For that, it must run on the server's machine and open the page under a
   * local host name.
   */
  readonly signIn: boolean;
  /** Why this browser may not use the other `/dev/*` endpoints. Null if it may. */
  readonly signInReason: string | null;
  /** The site that `passkey browse` follows. Its ceremonies also appear on the test page. */
  readonly site: {
    readonly url: string;
    readonly persona: string | null;
    readonly tamper: { readonly id: string; readonly title: string; readonly kind: CeremonyKind } | null;
  } | null;
  readonly user: DevUser | null;
  readonly users: readonly DevUser[];
  /** Number of live passkeys of all users. 0 if the caller may not see the users. */
  readonly passkeys: number;
}
