import { unknownCredentialHint } from '../../relying-party/diagnosis/hints.js';
import { showId } from '../../relying-party/show.js';
import { leaveOpen, type StepResult, skip } from '../../relying-party/steps/step.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import type { KnownAuthentication, KnownCeremony, KnownRegistration } from './known-ceremony.js';

/** Results of steps that cannot run, by slug: something they need was not given. */
export type Missing = ReadonlyMap<string, StepResult>;

const notGiven = (what: string) => `${what} was not given`;

function missingOfCeremony({ rpId, origins, challenge }: KnownCeremony): [string, StepResult][] {
  return [
    ...(challenge === undefined ? [['challenge', leaveOpen(notGiven('the challenge (--challenge)'))] as [string, StepResult]] : []),
    ...(origins === undefined ? [['origin', leaveOpen(notGiven('the expected origin (--origin)'))] as [string, StepResult]] : []),
    ...(rpId === undefined ? [['rp-id-hash', leaveOpen(notGiven('the RP ID (--rp-id)'))] as [string, StepResult]] : []),
  ];
}

export function missingOfRegistration(known: KnownRegistration): Missing {
  return new Map(missingOfCeremony(known));
}

export function missingOfAuthentication(known: KnownAuthentication, id: Uint8Array): Missing {
  const { credential } = known;
  if (credential === 'unregistered') {
    const gone = skip('there is no registered credential to hold it against');
    return new Map<string, StepResult>([
      ...missingOfCeremony(known),
      [
        'user-handle',
        {
          status: 'fail',
          code: 'passkey_not_found',
          expected: 'a credential that is registered',
          received: `${showId(id)}, which is not`,
          hint: unknownCredentialHint(known.rpId ?? '', encodeBase64url(id)),
        },
      ],
      ...['backup-eligibility', 'signature', 'sign-count', 'credential-record'].map((slug): [string, StepResult] => [slug, gone]),
    ]);
  }
  const missing = (slug: string, what: string, value: unknown): [string, StepResult][] =>
    value === undefined ? [[slug, slug === 'signature' ? leaveOpen(notGiven(what)) : skip(notGiven(what))]] : [];
  return new Map([
    ...missingOfCeremony(known),
    ...missing('user-handle', 'the user account of the credential', credential?.userHandle),
    ...missing('backup-eligibility', 'the backup eligibility at registration', credential?.backupEligible),
    ...missing('signature', 'the public key (--public-key)', credential?.publicKey),
    ...missing('sign-count', 'the stored sign count (--sign-count)', credential?.signCount),
  ]);
}
