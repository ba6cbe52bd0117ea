import { AGAINST } from './against.js';
import { againstServers } from './against-place.js';
import { testSlots } from './run-slots.js';

testSlots(AGAINST, againstServers());
