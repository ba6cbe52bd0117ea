import type { RequirementLevel } from '../../webauthn/enumerations.js';
import type { Observation } from './observation.js';

/** UV is where what was asked and what is verified drift apart. */
export function userVerificationObservations(uv: boolean | undefined, wanted: RequirementLevel, asked: unknown): Observation[] {
  if (uv === undefined) {
    return [];
  }
  if (wanted === 'required' && asked !== undefined && asked !== 'required') {
    return [
      {
        slug: 'user-verification-not-asked',
        message: `The options asked for userVerification ${JSON.stringify(asked)} and UV is required here: "preferred" does not make an authenticator verify the user; ask for "required".`,
      },
    ];
  }
  return uv || wanted !== 'preferred'
    ? []
    : [
        {
          slug: 'user-not-verified',
          message:
            'The user was not verified (no UV), which "preferred" allows: it counts as one factor; ask for "required" if you rely on a PIN or biometry.',
        },
      ];
}
