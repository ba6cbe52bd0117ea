import type { Reading } from '../../explain/parse-expectation.js';
import type { CeremonyKind } from '../../webauthn/enumerations.js';

/** An item of `GET /dev/expectations`: an expectation about pasted data, as a field of the page. */
export interface ExpectationField {
  /** Name of the member in `expectations` of `POST /dev/explain`. */
  readonly name: string;
  /** Describes the expectation, and where an application usually defines it. */
  readonly help: string;
  /** Slug of the step that stays open without this expectation. */
  readonly step?: string | undefined;
  /** The only kind of ceremony that this expectation applies to. Undefined if it applies to both. */
  readonly of?: CeremonyKind | undefined;
  readonly reads?: Reading | undefined;
  /** All valid values. Undefined if any text is valid. */
  readonly choices?: readonly string[] | undefined;
}
