import { PasskeyError } from '../../errors.js';
import { text } from '../config/values.js';

export const email = text({ placeholder: 'email', expects: 'an e-mail address', accept: (value) => /^[^\s@]+@[^\s@]+$/.test(value) });
export const name = text({ placeholder: 'name' });

/** Throws a validation error again as a usage error, since the invalid values came from flags. */
export function rethrowAsUsage(error: unknown): never {
  throw error instanceof PasskeyError && error.code === 'validation_failed'
    ? new PasskeyError('usage', error.message, { cause: error })
    : error;
}
