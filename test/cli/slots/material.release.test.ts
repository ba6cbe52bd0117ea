import { MATERIAL } from './material.js';
import { testSlots } from './run-slots.js';
import { fillMaterial } from './world.js';

testSlots(MATERIAL, { fill: fillMaterial });
