import { describe } from 'vitest';
import { ANDROID_KEY } from '../../../../src/simulate/cases/attestation/android-key.js';
import { ANDROID_KEY_DESCRIPTION } from '../../../../src/simulate/cases/attestation/android-key-description.js';
import { SAFETYNET } from '../../../../src/simulate/cases/attestation/safetynet.js';
import { share } from '../../../thorough.js';
import { judgedAsTold } from './rows.js';

describe('android-key', () => {
  judgedAsTold(share(ANDROID_KEY, 3));
});
describe('key description', () => {
  judgedAsTold(share(ANDROID_KEY_DESCRIPTION, 3));
});
describe('android-safetynet', () => {
  judgedAsTold(share(SAFETYNET, 3));
});
