import { describe } from 'vitest';
import { startHanko } from '../../../targets/hanko.js';
import { HANKO_SHAPE_FAULTS } from '../../../targets/known-faults.js';
import { prove } from './prove.js';
import { proveWholeRun } from './whole-run.js';

describe("a server of the shape of Hanko's older API, by its profile", () => {
  prove({ name: 'hanko', start: startHanko });
});

proveWholeRun({ of: "the shape of Hanko's older API", name: 'hanko', start: startHanko, faults: HANKO_SHAPE_FAULTS });
