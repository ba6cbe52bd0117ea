import type { Reading } from '../../explain/parse-expectation.js';
import type { JsonObject } from '../../kernel/json-value.js';
import type { CeremonyKind } from '../../webauthn/enumerations.js';

export interface Choice {
  readonly label: string;
  readonly value: unknown;
  /** Behind "more". */
  readonly rare?: boolean;
}

interface FieldBase {
  readonly label: string;
  /** Path of the member in the dictionary. */
  readonly path: readonly string[];
  readonly help?: string;
  /** Meaning of an absent member, where the server sends none by itself: `any`, `not asked for`. */
  readonly unset?: string;
}

/** One member of an options dictionary as a form control. */
export type OptionField = FieldBase &
  (
    | { readonly kind: 'choice'; readonly choices: readonly Choice[] }
    /** Several of the choices, in the order in which they were chosen. */
    | { readonly kind: 'set'; readonly choices: readonly Choice[] }
    /** A list of credential descriptors: empty, or some of the stored passkeys. */
    | { readonly kind: 'credentials' }
    | { readonly kind: 'number' }
    | { readonly kind: 'text' }
    /** Text that becomes base64url of its UTF-8 bytes. */
    | { readonly kind: 'bytes' }
  );

export interface FieldGroup {
  readonly title: string;
  readonly fields: readonly OptionField[];
  /** Behind "more": what hardly anybody asks for. */
  readonly rare?: readonly OptionField[];
}

/** Changes for a common intent. */
export interface Preset {
  readonly name: string;
  /** Its purpose and its limits. */
  readonly about: string;
  /** Members that overwrite those of the creation options. */
  readonly registration: JsonObject;
  /** Members that overwrite those of the request options. */
  readonly authentication: JsonObject;
}

/** One expectation that what is pasted is held against. */
export interface ExpectationField {
  /** Member of `expectations` of `POST /dev/explain`. */
  readonly name: string;
  /** Describes it, and where an application has its value. */
  readonly help: string;
  /** The only ceremony that it is of. */
  readonly of?: CeremonyKind | undefined;
  readonly reads?: Reading | undefined;
  /** All there are. */
  readonly choices?: readonly string[] | undefined;
}

/** `GET /dev/option-form`: the form in which the test page shows the options of both ceremonies, and what is expected of a pasted one. It has what this server can verify. */
export interface OptionForm {
  readonly registration: readonly FieldGroup[];
  readonly authentication: readonly FieldGroup[];
  readonly presets: readonly Preset[];
  readonly expectations: readonly ExpectationField[];
}
