import { asObject, type JsonObject } from '../../kernel/json-value.js';
import { readAlgorithms, readRpId, readUserVerification } from '../requested-options.js';

/** Facts about a `navigator.credentials` call that threw. */
export interface FailedCall {
  readonly name: string;
  readonly message: string;
  readonly call: 'create' | 'get';
  readonly mediation: 'conditional' | undefined;
  readonly rpId: string | undefined;
  readonly origin: string;
  readonly milliseconds: number;
  /** The `timeout` member of the options, in milliseconds. */
  readonly timeout: number | undefined;
  readonly userVerification: string | undefined;
  readonly residentKey: string | undefined;
  readonly attachment: string | undefined;
  readonly algorithms: readonly number[];
  /** Credential IDs in `allowCredentials`, in base64url. */
  readonly allowed: readonly string[];
  readonly excluded: number;
  /** The `extensions` member of the options. */
  readonly extensions: JsonObject;
  /** Whether the page has signalled that a suitable passkey is unknown or not accepted. The browser may then hide that passkey. */
  readonly signalled: boolean;
  readonly secureContext: boolean;
  /** Whether the permissions policy allows the call in this frame; undefined if the browser cannot tell. */
  readonly permitted: boolean | undefined;
  readonly framed: boolean;
  readonly focused: boolean;
}

/** A call with its options, and the exception that it threw. */
type ThrownCall = Pick<FailedCall, 'name' | 'message' | 'call' | 'mediation' | 'milliseconds'> & { readonly options: JsonObject };

/** Facts about a call that only the page that made it can know. */
type Circumstances = Pick<FailedCall, 'origin' | 'signalled' | 'secureContext' | 'permitted' | 'framed' | 'focused'>;

/** Circumstances to assume for a call in a page that was not observed. */
export const UNSEEN: Omit<Circumstances, 'origin'> = {
  signalled: false,
  secureContext: true,
  permitted: undefined,
  framed: false,
  focused: true,
};

/** Combines the exception of a call with facts from the options of the call. */
export function failedCall({ options, ...thrown }: ThrownCall, circumstances: Circumstances): FailedCall {
  const selection = asObject(options['authenticatorSelection']);
  const allowed = readList(options['allowCredentials']).map((entry) => readText(asObject(entry)['id']) ?? '');
  return {
    ...thrown,
    ...circumstances,
    rpId: readRpId(options),
    timeout: typeof options['timeout'] === 'number' ? options['timeout'] : undefined,
    userVerification: readText(readUserVerification(options)),
    residentKey: readText(selection['residentKey']),
    attachment: readText(selection['authenticatorAttachment']),
    algorithms: readAlgorithms(options) ?? [],
    allowed,
    excluded: readList(options['excludeCredentials']).length,
    extensions: asObject(options['extensions']),
  };
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
