import { describe } from 'vitest';
import { startHanko } from '../../../targets/hanko.js';
import { prove } from './prove.js';

describe("a server of the shape of Hanko's older API, by its profile", () => {
  prove({ name: 'hanko', start: startHanko });
});
