import { describe } from 'vitest';
import { PACKED } from '../../../../src/simulate/cases/attestation/packed.js';
import { PACKED_ACCEPTED } from '../../../../src/simulate/cases/attestation/packed-accepted.js';
import { PACKED_CERTIFICATE } from '../../../../src/simulate/cases/attestation/packed-certificate.js';
import { PACKED_PATH } from '../../../../src/simulate/cases/attestation/packed-path.js';
import { PACKED_SELF } from '../../../../src/simulate/cases/attestation/packed-self.js';
import { judgedAsTold } from './rows.js';

describe('self attestation', () => {
  judgedAsTold(PACKED_SELF);
});
describe('statement', () => {
  judgedAsTold(PACKED);
});
describe('certification path', () => {
  judgedAsTold(PACKED_PATH);
});
describe('attestation certificate', () => {
  judgedAsTold(PACKED_CERTIFICATE);
});
describe('valid ones', () => {
  judgedAsTold(PACKED_ACCEPTED);
});
