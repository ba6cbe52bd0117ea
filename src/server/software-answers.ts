import type { Policy } from '../relying-party/policy.js';
import type { CeremonyKind } from '../webauthn/enumerations.js';

/** Finds challenges of a server's ceremonies, for mutations whose response answers another challenge than the given one. */
export interface Challenges {
  /** Finds the newest challenge that belongs to a matching ceremony, in base64url. Undefined if there is none. */
  readonly findChallenge: (wanted: WantedChallenge) => string | undefined;
}

/**
 * Describes an ended ceremony whose challenge is wanted. The response must fit this ceremony in every other way; otherwise the server would
 * refuse the response for another reason.
 */
export interface WantedChallenge {
  readonly of: CeremonyKind;
  readonly state: 'used' | 'expired' | 'any';
  readonly rpId?: string | undefined;
  /** For a registration: the user handle of the user, in base64url. */
  readonly userHandle?: string | undefined;
  /** For an authentication: the credential ID in base64url, if the ceremony asked for a particular credential. */
  readonly credentialId?: string | undefined;
}

/** The body of `POST /dev/answer`, with the personas and mutations under the names that {@link SoftwareAnswers} uses. */
export interface AnswerRequest extends Challenges {
  /** Creation or request options as JSON. They may be wrapped in other objects, in any way that servers do. */
  readonly options: unknown;
  /** Origin of the page that made the call. */
  readonly origin: string;
  readonly topOrigin: string | undefined;
  readonly crossOrigin: boolean | undefined;
  /** Set if a browser has already checked that the origin may use the RP ID, for example because the site lists related origins. */
  readonly rpIdChecked?: true;
  readonly mediation: 'conditional' | undefined;
  readonly persona: string | undefined;
  readonly userVerification: string | undefined;
  /** A credential ID in base64url, or the beginning of one. Only a credential with this ID may respond. */
  readonly credentialId: string | undefined;
  readonly tamper: string | undefined;
}

/**
 * Port to a software authenticator, with which the development routes respond to ceremonies. The command line implements the port, since
 * the server has no private keys.
 */
export interface SoftwareAnswers {
  /**
   * Returns the document that `POST /dev/answer` sends.
   *
   * @throws PasskeyError `options_refused` for options that a browser would refuse, `validation_failed` for any other mistake.
   */
  answer(request: AnswerRequest): Promise<object>;
  /** Lists the personas, which are the kinds of authenticators that the software authenticator imitates. */
  personas(): Promise<readonly object[]>;
}

/** The body of `POST /dev/tamper`. */
export interface TamperRequest extends Challenges {
  /** ID of the mutation. */
  readonly id: string;
  /** Creation or request options as JSON. They may be wrapped in other objects, in any way that servers do. */
  readonly options: unknown;
  /** The response to break, from a browser or any other authenticator. */
  readonly response: unknown;
  /** Finds the COSEAlgorithmIdentifier of a credential by its ID (base64url). Undefined for an unknown credential. */
  readonly algorithmOf: (credentialId: string) => Promise<number | undefined>;
}

/** Port to the catalogue of mutations, which break responses on purpose. */
export interface Mutations {
  /**
   * Lists the mutations. @param at the server for which the mutations are listed. If a mutation would show nothing at this server, its
   * description says why.
   */
  list(at: Pick<Policy, 'attestationRoots' | 'selfAttestation' | 'topOrigins'> & { readonly origin: string }): Promise<readonly object[]>;
  /**
   * Returns the document that `POST /dev/tamper` sends.
   *
   * @throws PasskeyError `not_applicable` for a mutation that does not fit this response, `validation_failed` for any other mistake.
   */
  tamper(request: TamperRequest): Promise<object>;
}
