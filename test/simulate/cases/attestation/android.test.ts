import { describe } from 'vitest';
import { ANDROID_KEY } from '../../../../src/simulate/cases/attestation/android-key.js';
import { ANDROID_KEY_DESCRIPTION } from '../../../../src/simulate/cases/attestation/android-key-description.js';
import { SAFETYNET } from '../../../../src/simulate/cases/attestation/safetynet.js';
import { judgedAsTold } from './rows.js';

describe('android-key', () => {
  judgedAsTold(ANDROID_KEY);
});
describe('key description', () => {
  judgedAsTold(ANDROID_KEY_DESCRIPTION);
});
describe('android-safetynet', () => {
  judgedAsTold(SAFETYNET);
});
