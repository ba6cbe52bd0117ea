/**
 * `node bench/attacks/rate-limit.mjs` (Linux): how often one client gets past the rate limit. PASSKEY_BIN names the program, `npm run
 * build` comes first. Loopback only.
 */
import { report, serve } from './serving.mjs';

const server = await serve({ flags: ['--production', '--store', 'memory:', '--rate-limit', '10', '--trust-proxy'] });
const ask = async (forwarded) => {
  const reply = await fetch(`${server.url}/api/passkeys/login/options`, { method: 'POST', headers: { 'x-forwarded-for': forwarded } });
  await reply.arrayBuffer();
  return reply.status;
};
async function allowed(count, addressOf) {
  let passed = 0;
  for (let index = 0; index < count; index++) if ((await ask(addressOf(index))) !== 429) passed++;
  return passed;
}

report('one address, a port of its own each time: requests that pass', 100, await allowed(100, (index) => `203.0.113.1:${20_000 + index}`));
report(
  'one IPv6 address, a port of its own each time: requests that pass',
  100,
  await allowed(100, (index) => `[2001:db8::1]:${20_000 + index}`),
);
report('garbage as the address: requests that pass', 100, await allowed(100, (index) => `garbage-${index}`));
report('one IPv6 /64: requests that pass', 100, await allowed(100, (index) => `2001:db8:1:2::${index.toString(16)}`));
const own = '198.51.100.7';
await allowed(11, () => own);
const others = 6_000;
const address = (index) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
let next = 0;
await Promise.all(
  Array.from({ length: 32 }, async () => {
    while (next < others) await ask(address(next++));
  }),
);
report('past its limit, then requests of other addresses: the next ten that pass', others, await allowed(10, () => own));
server.stop();
process.exit(0);
