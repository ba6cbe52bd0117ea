import { describe } from 'vitest';
import { startAuthentik } from '../../../targets/authentik.js';
import { AUTHENTIK_SHAPE_FAULTS } from '../../../targets/known-faults.js';
import { prove } from './prove.js';
import { proveWholeRun } from './whole-run.js';

describe("a server of the shape of authentik's flow executor, by its profile", () => {
  prove({ name: 'authentik', start: startAuthentik });
});

proveWholeRun({ of: "the shape of authentik's flow executor", name: 'authentik', start: startAuthentik, faults: AUTHENTIK_SHAPE_FAULTS });
