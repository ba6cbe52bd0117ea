import { testSlots } from './run-slots.js';
import { SERVED } from './served.js';
import { visit } from './visit.js';
import { fillServed } from './world.js';

testSlots(SERVED, {
  fill: fillServed,
  async attend(line, { advance }) {
    const [url = ''] = /https?:\/\/[^\s"]+/.exec(line) ?? [];
    const [token] = /pk_[\w-]+/.exec(line) ?? [];
    return await visit({ url, token, advance });
  },
});
