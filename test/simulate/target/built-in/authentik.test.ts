import { describe } from 'vitest';
import { startAuthentik } from '../../../targets/authentik.js';
import { prove } from './prove.js';

describe("a server of the shape of authentik's flow executor, by its profile", () => {
  prove({ name: 'authentik', start: startAuthentik });
});
