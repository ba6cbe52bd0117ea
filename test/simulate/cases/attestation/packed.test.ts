import { describe } from 'vitest';
import { PACKED_SELF } from '../../../../src/simulate/cases/attestation/packed-self.js';
import { judgedAsTold } from './rows.js';

describe('self attestation', () => judgedAsTold(PACKED_SELF));
