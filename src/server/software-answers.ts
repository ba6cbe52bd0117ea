import type { Policy } from '../relying-party/policy.js';
import type { CeremonyKind } from '../webauthn/enumerations.js';

/** Finds ceremonies of a server, for mutations that answer another challenge than the given one. */
export interface Challenges {
  /** Finds the newest challenge of a matching ceremony, in base64url. Undefined if there is none. */
  readonly findChallenge: (wanted: WantedChallenge) => string | undefined;
}

/**
 * A ceremony that the response would fit, except that it has ended. With any other ceremony, the response would be refused for another
 * reason.
 */
export interface WantedChallenge {
  readonly of: CeremonyKind;
  readonly state: 'used' | 'expired' | 'any';
  readonly rpId?: string | undefined;
  /** Registration: user handle of the user, in base64url. */
  readonly userHandle?: string | undefined;
  /** Authentication: the credential ID in base64url, if the ceremony asked for one. */
  readonly credentialId?: string | undefined;
}

/** The body of `POST /dev/answer`, with the names of personas and mutations that the port uses. */
export interface AnswerRequest extends Challenges {
  /** Creation or request options as JSON, in any wrapping. */
  readonly options: unknown;
  /** Origin of the calling page. */
  readonly origin: string;
  readonly topOrigin: string | undefined;
  readonly crossOrigin: boolean | undefined;
  /** Set if a browser has checked that the origin may use the RP ID, for example through the site's related origins. */
  readonly rpIdChecked?: true;
  readonly mediation: 'conditional' | undefined;
  readonly persona: string | undefined;
  readonly userVerification: string | undefined;
  /** A credential ID in base64url, or the beginning of one. */
  readonly credentialId: string | undefined;
  readonly tamper: string | undefined;
}

/**
 * Port to a software authenticator, through which the development routes respond to ceremonies. The command line implements it, since the
 * server has no private keys.
 */
export interface SoftwareAnswers {
  /**
   * Returns the document that `POST /dev/answer` sends.
   *
   * @throws PasskeyError `options_refused` for options that a browser would refuse, `validation_failed` for any other mistake.
   */
  answer(request: AnswerRequest): Promise<object>;
  /** Lists the kinds of authenticators that it imitates. */
  personas(): Promise<readonly object[]>;
}

/** The body of `POST /dev/tamper`. */
export interface TamperRequest extends Challenges {
  /** ID of the mutation. */
  readonly id: string;
  /** Creation or request options as JSON, in any wrapping. */
  readonly options: unknown;
  /** The response of a browser or any other authenticator. */
  readonly response: unknown;
  /** Finds the COSEAlgorithmIdentifier of a credential by its ID (base64url). Undefined for an unknown credential. */
  readonly algorithmOf: (credentialId: string) => Promise<number | undefined>;
}

/** Port to the catalogue of mutations, which break responses on purpose. */
export interface Mutations {
  /** Lists the mutations. @param at the server that the mutations are for. A mutation that would show nothing at this server says why. */
  list(at: Pick<Policy, 'attestationRoots' | 'selfAttestation' | 'topOrigins'> & { readonly origin: string }): Promise<readonly object[]>;
  /**
   * Returns the document that `POST /dev/tamper` sends.
   *
   * @throws PasskeyError `not_applicable` for a mutation that does not fit this response, `validation_failed` for any other mistake.
   */
  tamper(request: TamperRequest): Promise<object>;
}
