import { type JsonObject, objectOf } from '../../kernel/json-value.js';
import { algorithmsOf, rpIdOf, userVerificationOf } from '../asked.js';

/** Meaning of an error of the browser. */
export interface Explanation {
  readonly title: string;
  /** Most likely first. */
  readonly causes: readonly string[];
  readonly next: string;
}

/** Facts about a call of `navigator.credentials` that threw. */
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
  /** The page has signalled a passkey that could answer as unknown or not accepted; the browser may hide it. */
  readonly signalled: boolean;
  readonly secureContext: boolean;
  /** Whether the permissions policy allows the call in this frame; undefined where browsers have no API for it. */
  readonly permitted: boolean | undefined;
  readonly framed: boolean;
  readonly focused: boolean;
}

/** The call that threw, and what it threw. */
type ThrownCall = Pick<FailedCall, 'name' | 'message' | 'call' | 'mediation' | 'milliseconds'> & { readonly options: JsonObject };

/** Facts that only the page that made the call can know. */
type Circumstances = Pick<FailedCall, 'origin' | 'signalled' | 'secureContext' | 'permitted' | 'framed' | 'focused'>;

/** Defaults for a page that this one did not see: nothing out of the ordinary. */
export const UNSEEN: Omit<Circumstances, 'origin'> = {
  signalled: false,
  secureContext: true,
  permitted: undefined,
  framed: false,
  focused: true,
};

/** Reads the facts that the options of a call tell about it. */
export function failedCall({ options, ...thrown }: ThrownCall, circumstances: Circumstances): FailedCall {
  const selection = objectOf(options['authenticatorSelection']);
  const allowed = listOf(options['allowCredentials']).map((entry) => textOf(objectOf(entry)['id']) ?? '');
  return {
    ...thrown,
    ...circumstances,
    rpId: rpIdOf(options),
    timeout: typeof options['timeout'] === 'number' ? options['timeout'] : undefined,
    userVerification: textOf(userVerificationOf(options)),
    residentKey: textOf(selection['residentKey']),
    attachment: textOf(selection['authenticatorAttachment']),
    algorithms: algorithmsOf(options) ?? [],
    allowed,
    excluded: listOf(options['excludeCredentials']).length,
    extensions: objectOf(options['extensions']),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
