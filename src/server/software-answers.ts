/** What `POST /dev/answer` asks for. Names of personas and mutations are those of the port. */
export interface AnswerRequest {
  /** Creation or request options as JSON, however wrapped. */
  readonly options: unknown;
  /** Of the page that asks. */
  readonly origin: string;
  readonly topOrigin: string | undefined;
  readonly crossOrigin: boolean | undefined;
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
   * @throws PasskeyError `options_refused` for what a browser would refuse, `validation_failed` for anything else that is wrong.
   */
  answer(request: AnswerRequest): Promise<object>;
  /** The kinds of authenticators that it imitates. */
  personas(): Promise<readonly object[]>;
}

/** The port to the mutations of the catalogue: responses broken on purpose. */
export interface Mutations {
  list(): Promise<readonly object[]>;
}
