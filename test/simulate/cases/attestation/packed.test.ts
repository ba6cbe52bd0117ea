import { describe } from 'vitest';
import { PACKED } from '../../../../src/simulate/cases/attestation/packed.js';
import { PACKED_ACCEPTED } from '../../../../src/simulate/cases/attestation/packed-accepted.js';
import { PACKED_CERTIFICATE } from '../../../../src/simulate/cases/attestation/packed-certificate.js';
import { PACKED_PATH } from '../../../../src/simulate/cases/attestation/packed-path.js';
import { PACKED_SELF } from '../../../../src/simulate/cases/attestation/packed-self.js';
import { share } from '../../../thorough.js';
import { judgedAsTold } from './rows.js';

describe('self attestation', () => {
  judgedAsTold(share(PACKED_SELF, 3));
});
describe('statement', () => {
  judgedAsTold(share(PACKED, 3));
});
describe('certification path', () => {
  judgedAsTold(share(PACKED_PATH, 3));
});
describe('attestation certificate', () => {
  judgedAsTold(share(PACKED_CERTIFICATE, 3));
});
describe('valid ones', () => {
  judgedAsTold(share(PACKED_ACCEPTED, 3));
});
