import { describe } from 'vitest';
import { APPLE } from '../../../../src/simulate/cases/attestation/apple.js';
import { FIDO_U2F } from '../../../../src/simulate/cases/attestation/fido-u2f.js';
import { COMPOUND, FORMATS, NONE } from '../../../../src/simulate/cases/attestation/formats.js';
import { share } from '../../../thorough.js';
import { judgedAsTold } from './rows.js';

describe('apple', () => {
  judgedAsTold(share(APPLE, 3));
});
describe('fido-u2f', () => {
  judgedAsTold(share(FIDO_U2F, 3));
});
describe('compound', () => {
  judgedAsTold(share(COMPOUND, 3));
});
describe('unknown formats', () => {
  judgedAsTold(share(FORMATS, 3));
});
describe('none', () => {
  judgedAsTold(share(NONE, 3));
});
