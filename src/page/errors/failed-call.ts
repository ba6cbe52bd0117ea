import { isObject, type JsonObject } from '../../webauthn/json-value.js';
import { getPath, numberAt, stringAt } from '../json.js';
import type { FailedCall } from './not-allowed.js';

/** The call that threw, and what it threw. */
export type ThrownCall = Pick<FailedCall, 'name' | 'message' | 'call' | 'mediation' | 'milliseconds'> & { readonly options: JsonObject };

/** What only the page that made the call can know. */
export type Circumstances = Pick<
  FailedCall,
  'origin' | 'signalled' | 'secureContext' | 'permitted' | 'framed' | 'focused' | 'abortedByPage'
>;

/** What a page reported about itself that this one did not see: nothing out of the ordinary. */
export const UNSEEN: Omit<Circumstances, 'origin'> = {
  signalled: false,
  secureContext: true,
  permitted: undefined,
  framed: false,
  focused: true,
  abortedByPage: false,
};

/** What the options of a call that threw say about it. */
export function failedCall({ options, ...thrown }: ThrownCall, circumstances: Circumstances): FailedCall {
  const creating = thrown.call === 'create';
  const selection = (member: string) => stringAt(options, 'authenticatorSelection', member);
  return {
    ...thrown,
    ...circumstances,
    rpId: creating ? stringAt(options, 'rp', 'id') : stringAt(options, 'rpId'),
    timeout: numberAt(options, 'timeout'),
    userVerification: creating ? selection('userVerification') : stringAt(options, 'userVerification'),
    residentKey: selection('residentKey'),
    attachment: selection('authenticatorAttachment'),
    algorithms: listAt(options, 'pubKeyCredParams').flatMap((entry) => numberAt(entry, 'alg') ?? []),
    allowed: allowedIn(options),
    excluded: listAt(options, 'excludeCredentials').length,
    extensions: isObject(options['extensions']) ? options['extensions'] : {},
  };
}

/** IDs in `allowCredentials`, base64url. */
export function allowedIn(options: JsonObject): readonly string[] {
  return listAt(options, 'allowCredentials').map((entry) => stringAt(entry, 'id') ?? '');
}

function listAt(options: JsonObject, member: string): readonly unknown[] {
  const value = getPath(options, [member]);
  return Array.isArray(value) ? value : [];
}
