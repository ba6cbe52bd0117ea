import type { JsonObject } from '../json.js';

/** What is known about a call of `navigator.credentials` that threw. */
export interface FailedCall {
  readonly name: string;
  readonly message: string;
  readonly call: 'create' | 'get';
  readonly mediation: 'conditional' | undefined;
  readonly rpId: string | undefined;
  readonly origin: string;
  readonly milliseconds: number;
  /** `timeout` of the options, in milliseconds. */
  readonly timeout: number | undefined;
  readonly userVerification: string | undefined;
  readonly residentKey: string | undefined;
  readonly attachment: string | undefined;
  readonly algorithms: readonly number[];
  /** IDs in `allowCredentials`, base64url. */
  readonly allowed: readonly string[];
  readonly excluded: number;
  /** Extension inputs of the options. */
  readonly extensions: JsonObject;
  /** The page has signalled a passkey that could answer as unknown or not accepted, so that the browser may hide it. */
  readonly signalled: boolean;
  readonly secureContext: boolean;
  /** The permission policy allows the call in this frame; undefined where the browser does not tell. */
  readonly permitted: boolean | undefined;
  readonly framed: boolean;
  readonly focused: boolean;
  /** The page aborted the call itself. */
  readonly abortedByPage: boolean;
}
