import { type CreateChange, create, EVIL, get, HOST, ORIGIN, type Scene } from '../craft/scene.js';
import type { Exchange } from './exchange-table.js';

/** A registration whose client data have these members. */
const creating =
  (client: CreateChange['client'] & {}): Exchange =>
  async (scene) =>
    await scene.register({ client });

/** An authentication whose client data have these members. */
const getting =
  (client: CreateChange['client'] & {}): Exchange =>
  async (scene) =>
    await scene.signIn(await scene.registered(), { client });

const origin = (sent: string) => getting({ origin: sent });
const challengeOf = (change: (challenge: string) => string) =>
  getting((members) => JSON.stringify({ ...members, challenge: change(String(members['challenge'])) }));

async function withHeader(scene: Scene) {
  const { body } = create(await scene.creationOptions(), { client: { origin: EVIL } });
  return await scene.submit(body, 0, { origin: EVIL });
}

/** §7.1 steps 7 to 11, §7.2 steps 10 to 14. */
export const CLIENT_DATA = {
  'create-type-unchecked': creating({ type: 'webauthn.get' }),
  'get-type-unchecked': getting({ type: 'webauthn.create' }),
  'type-by-prefix': getting({ type: 'webauthn.other' }),
  'type-case-folded': creating({ type: 'WebAuthn.Create' }),

  'create-challenge-unchecked': creating({ challenge: 'AAAA' }),
  'get-challenge-unchecked': getting({ challenge: 'AAAA' }),
  'challenge-may-go-on': challengeOf((challenge) => `${challenge}AA`),
  'challenge-by-first-characters': challengeOf((challenge) => challenge.slice(0, 16)),
  'challenge-by-length': challengeOf((challenge) => 'A'.repeat(challenge.length)),
  'challenge-case-folded': challengeOf((challenge) => {
    const other = challenge.toUpperCase();
    return other === challenge ? challenge.toLowerCase() : other;
  }),
  'challenge-decoded-loosely': challengeOf((challenge) => `${challenge}=`),
  'challenge-by-pattern': getting((members) =>
    JSON.stringify({ inner: { challenge: members['challenge'] }, ...members, challenge: 'AAAA' }),
  ),

  'create-origin-unchecked': creating({ origin: EVIL }),
  'get-origin-unchecked': getting({ origin: EVIL }),
  'origin-by-prefix': origin(`${ORIGIN}.evil.example`),
  'origin-by-suffix': origin(`https://evil${HOST}`),
  'origin-by-substring': origin(`https://evil.example/${HOST}/`),
  'origin-case-folded': origin(ORIGIN.toUpperCase()),
  'origin-without-port': origin(`${ORIGIN}:8443`),
  'origin-without-scheme': origin(`http://${HOST}`),
  'origin-of-subdomain': origin(`https://evil.${HOST}`),
  'origin-of-parent-domain': origin('https://example.com'),
  'origin-parsed-as-url': origin(`https://user@${HOST}/path`),
  'origin-as-pattern': origin('https://loginXexample.com'),
  'origin-null-accepted': origin('null'),
  'origin-absent-accepted': getting({ origin: undefined }),
  'origin-of-any-loopback': origin('http://localhost:9999'),
  'origin-from-header': withHeader,
  'origin-of-another-app': async (scene) => {
    await scene.creationOptions({ app_url: 'https://other.example' });
    return await scene.register({ client: { origin: 'https://other.example' } });
  },

  'create-cross-origin-unchecked': creating({ crossOrigin: true }),
  'get-cross-origin-unchecked': getting({ crossOrigin: true }),
  'create-top-origin-unchecked': creating({ topOrigin: EVIL }),
  'get-top-origin-unchecked': getting({ topOrigin: EVIL }),
  'top-origin-only-with-cross-origin': creating({ crossOrigin: false, topOrigin: EVIL }),
  'top-origin-among-origins': creating({ topOrigin: ORIGIN }),
  'top-origin-by-prefix': getting({ crossOrigin: true, topOrigin: 'https://top.example.evil.example' }),

  'unknown-client-data-member-refused': creating({ member_of_the_future: { of: ['any', 'kind'] } }),
  'client-data-order-required': getting(({ type, challenge, ...others }) => JSON.stringify({ ...others, challenge, type })),
  'cross-origin-required': creating({ crossOrigin: undefined }),
  'client-data-bom-refused': creating((members) => `\u{feff}${JSON.stringify(members)}`),
  'client-data-hashed-anew': getting((members) => JSON.stringify(members, undefined, 2)),
  'malformed-client-data-crashes': creating(() => '{"type":'),
} as const satisfies Record<string, Exchange>;

async function twice(scene: Scene, change: CreateChange = {}) {
  const made = await scene.registered();
  const options = await scene.requestOptions(made);
  await scene.login(get(options, made, change));
  return await scene.login(get(options, made));
}

/** §13.4.3: what challenges are bound to, and when they end. */
export const CHALLENGES = {
  'create-challenge-reusable': async (scene) => {
    const options = await scene.creationOptions();
    await scene.submit(create(options).body);
    return await scene.submit(create(options).body);
  },
  'get-challenge-reusable': async (scene) => await twice(scene),
  'challenge-kept-after-failure': async (scene) => await twice(scene, { client: { origin: EVIL } }),
  'challenge-spent-late': async (scene) => {
    const options = await scene.creationOptions();
    const racing = [create(options).body, create(options).body].map(async (body) => await scene.submit(body));
    const statuses = (await Promise.all(racing)).map(({ status }) => status);
    return statuses.every((status) => status === 200) ? 'accepted' : 'refused';
  },
  'challenge-never-expires': async (scene) => {
    const options = await scene.creationOptions();
    scene.clock.now += 120_001;
    return await scene.submit(create(options).body);
  },
  'challenge-constant': async (scene) => {
    const [one, other] = [await scene.creationOptions(), await scene.creationOptions()];
    return one['challenge'] === other['challenge'] ? 'accepted' : 'refused';
  },
  'challenge-of-another-user': async (scene) => await scene.submit(create(await scene.creationOptions()).body, 1),
  'create-takes-challenge-of-get': async (scene) => await scene.submit(create(await scene.requestOptions()).body),
  'get-takes-challenge-of-create': async (scene) => {
    const made = await scene.registered();
    return await scene.login(get(await scene.creationOptions(), made));
  },
  'only-newest-challenge': async (scene) => {
    const options = await scene.creationOptions();
    await scene.creationOptions();
    return await scene.submit(create(options).body);
  },
} as const satisfies Record<string, Exchange>;
