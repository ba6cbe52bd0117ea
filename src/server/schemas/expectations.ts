import type { Reading } from '../../explain/parse-expectation.js';
import type { CeremonyKind } from '../../webauthn/enumerations.js';

/** One of `GET /dev/expectations`: an expectation for pasted data, as a field of the page. */
export interface ExpectationField {
  /** Member of `expectations` of `POST /dev/explain`. */
  readonly name: string;
  /** Describes it, and its usual place in an application. */
  readonly help: string;
  /** Slug of the step that stays open without it. */
  readonly step?: string | undefined;
  /** The only ceremony that it is of. */
  readonly of?: CeremonyKind | undefined;
  readonly reads?: Reading | undefined;
  /** All there are. */
  readonly choices?: readonly string[] | undefined;
}
