import type { Reading } from '../../explain/parse-expectation.js';
import type { CeremonyKind } from '../../webauthn/enumerations.js';

/** One item in the response of `GET /dev/expectations`. It describes an expectation about pasted data, which the page shows as a field. */
export interface ExpectationField {
  /** Name of this expectation as a member of `expectations` in the body of `POST /dev/explain`. */
  readonly name: string;
  /** Describes the expectation, and where an application usually defines it. */
  readonly help: string;
  /** Slug of the verification step that stays open if this expectation is not given. */
  readonly step?: string | undefined;
  /** The only kind of ceremony that this expectation applies to. Undefined if it applies to both. */
  readonly of?: CeremonyKind | undefined;
  readonly reads?: Reading | undefined;
  /** All valid values. Undefined if any string is valid. */
  readonly choices?: readonly string[] | undefined;
}
