import { testSlots } from './run-slots.js';
import { STORED } from './stored.js';
import { fillStores } from './world.js';

testSlots(STORED, { fill: fillStores });
