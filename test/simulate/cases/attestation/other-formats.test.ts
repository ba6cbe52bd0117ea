import { describe } from 'vitest';
import { APPLE } from '../../../../src/simulate/cases/attestation/apple.js';
import { COMPOUND } from '../../../../src/simulate/cases/attestation/compound.js';
import { FIDO_U2F } from '../../../../src/simulate/cases/attestation/fido-u2f.js';
import { FORMATS, NONE } from '../../../../src/simulate/cases/attestation/formats.js';
import { judgedAsTold } from './rows.js';

describe('apple', () => {
  judgedAsTold(APPLE);
});
describe('fido-u2f', () => {
  judgedAsTold(FIDO_U2F);
});
describe('compound', () => {
  judgedAsTold(COMPOUND);
});
describe('unknown formats', () => {
  judgedAsTold(FORMATS);
});
describe('none', () => {
  judgedAsTold(NONE);
});
