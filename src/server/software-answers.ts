import type { Policy } from '../relying-party/policy.js';
import type { CeremonyKind } from '../webauthn/enumerations.js';

/** Facts about the ceremonies of a server, for mutations that answer another challenge than the given one. */
export interface Challenges {
  /** The newest challenge of such a ceremony, base64url; undefined if there is none. */
  readonly findChallenge: (wanted: WantedChallenge) => string | undefined;
}

/** A ceremony that a response could answer but for its time: any other would be refused for another reason. */
export interface WantedChallenge {
  readonly of: CeremonyKind;
  readonly state: 'used' | 'expired' | 'any';
  readonly rpId?: string | undefined;
  /** Registration: of whom, base64url. */
  readonly userHandle?: string | undefined;
  /** Authentication: the credential ID, base64url, if the ceremony asked for one. */
  readonly credentialId?: string | undefined;
}

/** The body of `POST /dev/answer`, with the port's names of personas and mutations. */
export interface AnswerRequest extends Challenges {
  /** Creation or request options as JSON, however wrapped. */
  readonly options: unknown;
  /** Origin of the page that asks. */
  readonly origin: string;
  readonly topOrigin: string | undefined;
  readonly crossOrigin: boolean | undefined;
  /** A browser has checked that the origin may use the RP ID, such as by the related origins of its site. */
  readonly rpIdChecked?: true;
  readonly mediation: 'conditional' | undefined;
  readonly persona: string | undefined;
  readonly userVerification: string | undefined;
  /** base64url, or the beginning of it. */
  readonly credentialId: string | undefined;
  readonly tamper: string | undefined;
}

/**
 * The port through which the development routes answer ceremonies with a software authenticator: it has private keys, and the server has
 * not. The command line gives it.
 */
export interface SoftwareAnswers {
  /**
   * The document that `POST /dev/answer` sends.
   *
   * @throws PasskeyError `options_refused` for options that a browser would refuse, `validation_failed` for any other mistake.
   */
  answer(request: AnswerRequest): Promise<object>;
  /** The kinds of authenticators that it imitates. */
  personas(): Promise<readonly object[]>;
}

/** The body of `POST /dev/tamper`. */
export interface TamperRequest extends Challenges {
  /** Id of the mutation. */
  readonly id: string;
  /** Creation or request options as JSON, however wrapped. */
  readonly options: unknown;
  /** The response of a browser, or of any other authenticator. */
  readonly response: unknown;
  /** COSEAlgorithmIdentifier of the credential with this ID (base64url); undefined for an unknown one. */
  readonly algorithmOf: (credentialId: string) => Promise<number | undefined>;
}

/** The port to the mutations of the catalogue: responses broken on purpose. */
export interface Mutations {
  /** @param at the server that they are for: what shows nothing there says why. */
  list(at: Pick<Policy, 'attestationRoots' | 'selfAttestation' | 'topOrigins'> & { readonly origin: string }): Promise<readonly object[]>;
  /**
   * The document that `POST /dev/tamper` sends.
   *
   * @throws PasskeyError `not_applicable` for a mutation that does not fit this response, `validation_failed` for any other mistake.
   */
  tamper(request: TamperRequest): Promise<object>;
}
