/** The names of `DOMException` that the two operations throw (W3C WebAuthn L3 §5.1.3.1, §5.1.4.3, §5.1.8, §10.1). */
export type DomExceptionName =
  | 'AbortError'
  | 'ConstraintError'
  | 'EncodingError'
  | 'InvalidStateError'
  | 'NotAllowedError'
  | 'NotSupportedError'
  | 'SecurityError'
  | 'SyntaxError'
  | 'UnknownError';

// A global of every runtime that this code meets; Node's types declare it only together with the DOM's.
declare const DOMException: new (message: string, name: string) => Error;

/** A `DOMException`. Unlike a browser's, its message says which member was wrong and why. */
export function domException(name: DomExceptionName, message: string): Error {
  return new DOMException(message, name);
}
