import { type ErrorText, type Exception, listTexts } from './row.js';

const REGISTERED: Exception = { exception: 'InvalidStateError', call: 'create' };
const NAMES = { from: 'browser', version: 'Level 3', source: 'w3c/webauthn index.bs' };

/** Rows for error messages that contain only the name of an exception. */
export const EXCEPTION_NAMES: readonly ErrorText[] = listTexts(
  NAMES,
  [
    ...[
      'NotAllowedError',
      'SecurityError',
      'ConstraintError',
      'NotSupportedError',
      'AbortError',
      'NotReadableError',
      'UnknownError',
      'OperationError',
      'EncodingError',
    ].map((exception): [Exception, string, RegExp] => [{ exception }, exception, new RegExp(`\\b${exception}\\b`)]),
    [REGISTERED, 'InvalidStateError', /\bInvalidStateError\b/],
    ...['TypeError', 'SyntaxError'].map((exception): [Exception, string, RegExp] => [
      { exception },
      `${exception}: navigator.credentials`,
      new RegExp(
        `\\b${exception}\\b[^]*?(?:navigator\\.credentials|CredentialsContainer|PublicKeyCredential|public-?key\\b.*credential)`,
        'i',
      ),
    ]),
  ],
  'name',
);
