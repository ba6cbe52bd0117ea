import { equalBytes, toHex } from '../../kernel/bytes.js';
import { count } from '../../kernel/wording.js';
import type { AuthenticatorData } from '../../webauthn/authenticator-data.js';
import { readFinding } from '../../webauthn/decoding-error.js';
import {
  authenticatorDataHint,
  BACKUP_STATE_HINT,
  USER_PRESENT_AT_REGISTRATION_HINT,
  USER_PRESENT_HINT,
  USER_VERIFIED_HINT,
} from '../diagnosis/hints.js';
import { appIdHint, hashOfRpId, preimageOfRpIdHash, rpIdHint } from '../diagnosis/rp-id.js';
import { showHash, showText } from '../show.js';
import { type AuthenticationContext, type CeremonyContext, type RegistrationContext, readScope } from './context.js';
import { type Check, fail, pass, type StepResult, skip } from './step.js';

type AuthenticatorDataCheck = Check<CeremonyContext>;

/**
 * Makes a step that runs `check` if the authenticator data can be read. If it cannot, an earlier step has already failed, and this step
 * does not apply.
 */
export function onAuthenticatorData<Context extends CeremonyContext>(
  check: (authenticatorData: AuthenticatorData, context: Context) => StepResult,
): Check<Context> {
  return (context) =>
    context.authenticatorData?.ok === true
      ? check(context.authenticatorData.value, context)
      : skip('the authenticator data could not be read');
}

export function malformedAuthenticatorData(message: string, bytes?: Uint8Array): StepResult {
  return fail('authenticator_data_malformed', {
    expected: 'authenticator data of WebAuthn §6.1',
    received: message,
    hint: authenticatorDataHint(bytes ?? NO_BYTES),
  });
}

const NO_BYTES = new Uint8Array();

/** §7.1 step 14: rpIdHash is the SHA-256 of the RP ID. */
export const rpIdHash: AuthenticatorDataCheck = onAuthenticatorData(({ rpIdHash: received }, { clientData, rpId }) =>
  judgeHash(received, rpId, () => {
    const origin = clientData.ok ? clientData.value.origin : '';
    const preimage = preimageOfRpIdHash(received, { rpId, origin });
    return { preimage, hint: rpIdHint({ rpId, origin, preimage }) };
  }),
);

/**
 * Compares rpIdHash with the expected hash.
 *
 * @param explain explains why the hashes differ. Called only if they do, since it computes many hashes.
 */
function judgeHash(
  received: Uint8Array,
  text: string,
  explain: () => { readonly preimage: string | undefined; readonly hint: string },
): StepResult {
  const hash = hashOfRpId(text);
  const expected = `${showHash(hash)}, the SHA-256 of ${showText(text)}`;
  if (equalBytes(received, hash)) {
    return pass(expected, showHash(received));
  }
  // Two different names share no beginning of their hashes.
  if (showHash(received) === showHash(hash)) {
    return fail('rp_id_mismatch', {
      expected: `${toHex(hash)}, the SHA-256 of ${showText(text)}`,
      received: toHex(received),
      hint: 'This is the hash of the RP ID with some bytes changed; send the authenticator data byte for byte as the authenticator made it.',
    });
  }
  const { preimage, hint } = explain();
  return fail('rp_id_mismatch', {
    expected,
    received: preimage === undefined ? showHash(received) : `${showHash(received)}, the SHA-256 of ${showText(preimage)}`,
    hint,
  });
}

/**
 * §7.2 step 15: rpIdHash is the SHA-256 of the RP ID, or of the AppID if the options contained the extension appid and the client reports
 * that it used the AppID (§10.1.1). In an assertion, this step is the first that reads the authenticator data; in a registration, it is
 * §7.1 step 13.
 */
export const rpIdHashOfAssertion: Check<AuthenticationContext> = (context) => {
  const { authenticatorData, appId } = context;
  if (authenticatorData?.ok === false) return malformedAuthenticatorData(readFinding(authenticatorData.error));
  if (appId === undefined) return rpIdHash(context);
  return onAuthenticatorData<AuthenticationContext>(({ rpIdHash: received }, { clientData, rpId }) => {
    const scope = readScope(context);
    return judgeHash(received, scope, () => {
      const origin = clientData.ok ? clientData.value.origin : '';
      const preimage = equalBytes(received, hashOfRpId(appId)) ? appId : preimageOfRpIdHash(received, { rpId, origin });
      return { preimage, hint: appIdHint({ rpId, appId, scope, preimage }) ?? rpIdHint({ rpId, origin, preimage }) };
    });
  })(context);
};

/** §7.2 step 16: the flag UP is set, which means that the user was present. */
export const userPresent: AuthenticatorDataCheck = onAuthenticatorData(({ flags }) =>
  flags.up
    ? pass('UP set', 'UP set')
    : fail('user_not_present', {
        expected: 'UP set',
        received: `UP not set (flags ${showFlags(flags.byte)})`,
        hint: USER_PRESENT_HINT,
      }),
);

/**
 * §7.1 step 15: the flag UP is set. This is not required if `mediation` is `conditional`, since the browser then does not prompt the user.
 */
export const userPresentAtRegistration: Check<RegistrationContext> = (context) =>
  context.mediation === 'conditional'
    ? onAuthenticatorData(({ flags }) => pass('UP set or not (mediation is "conditional")', flags.up ? 'UP set' : 'UP not set'))(context)
    : withHint(userPresent(context), USER_PRESENT_AT_REGISTRATION_HINT);

function withHint(result: StepResult, hint: string): StepResult {
  return result.status === 'fail' ? { ...result, hint } : result;
}

/** §7.1 step 16, §7.2 step 17: the flag UV is set, if user verification is required. */
export const userVerified: AuthenticatorDataCheck = onAuthenticatorData(({ flags }, { userVerification }) => {
  const received = flags.uv ? 'UV set' : `UV not set (flags ${showFlags(flags.byte)})`;
  if (userVerification !== 'required') {
    return pass(`UV set or not (userVerification is "${userVerification}")`, received);
  }
  return flags.uv
    ? pass('UV set', received)
    : fail('user_not_verified', {
        expected: 'UV set (userVerification is "required")',
        received,
        hint: USER_VERIFIED_HINT,
      });
});

/** §7.1 step 17, §7.2 step 18: the flag BS is set only if the flag BE is set. */
export const backupFlags: AuthenticatorDataCheck = onAuthenticatorData(({ flags: { be, bs, byte } }) =>
  bs && !be
    ? fail('backup_state_invalid', {
        expected: 'BS not set where BE is not set',
        received: `BS set without BE (flags ${showFlags(byte)})`,
        hint: BACKUP_STATE_HINT,
      })
    : pass('BS not set where BE is not set', `BE ${be ? 'set' : 'not set'}, BS ${bs ? 'set' : 'not set'}`),
);

/** §7.1 step 28, §7.2 step 23: reads the extension outputs. Outputs that were not requested are ignored, as the standard permits. */
export const extensionOutputs: AuthenticatorDataCheck = onAuthenticatorData(({ extensions }, { clientExtensionResults }) => {
  const outputs = Object.keys(clientExtensionResults).length + (extensions?.size ?? 0);
  return outputs === 0 ? skip('there are no extension outputs') : pass('any outputs', count(outputs, 'extension output'));
});

function showFlags(byte: number): string {
  return `0x${byte.toString(16).padStart(2, '0')}`;
}
