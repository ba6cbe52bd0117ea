import * as Type from 'typebox';
import { PasskeyError } from '../../errors.js';
import type { Fixture } from '../../fixture/format.js';

import { recordCeremony } from '../../fixture/recorded-ceremony.js';
import { integrityOf } from '../../fixture/write.js';
import type { OwnerRef } from '../../webauthn/user-handle.js';
import type { App } from '../app-instance.js';
import type { AppOptions } from '../app-options.js';
import { type DevelopmentGuard, maySee } from '../development-guard.js';

/** The test page shows as many runs. */
const KEPT = 50;

/** `GET /dev/fixtures/:challenge`: a finished ceremony as a fixture, the same that `passkey serve --record` writes. */
export function addDevFixtureRoute(app: App, { relyingParty, version = '' }: AppOptions, { localOrBearer }: DevelopmentGuard): void {
  const fixtures = new Map<string, { readonly fixture: Fixture; readonly owner: OwnerRef | undefined }>();
  relyingParty.on((event) => {
    if (event.type !== 'ceremony-finished') {
      return;
    }
    const recorded = recordCeremony(event, { tool: 'passkey serve', version });
    if (recorded.status === 'skipped') {
      return;
    }
    const { fixture } = recorded;
    fixtures.set(fixture.ceremony.challenge, { fixture, owner: event.passkey?.owner ?? event.owner });
    for (const oldest of [...fixtures.keys()].slice(0, -KEPT)) {
      fixtures.delete(oldest);
    }
  });

  const params = Type.Object({ challenge: Type.String() });
  app.get('/dev/fixtures/:challenge', { onRequest: localOrBearer, schema: { hide: true, params } }, async (request) => {
    const found = fixtures.get(request.params.challenge);
    if (found === undefined || !maySee(request, found.owner)) {
      throw new PasskeyError(
        'route_not_found',
        `None of the last ${KEPT} finished ceremonies has this challenge and can be replayed. Run the ceremony again.`,
      );
    }
    return { ...found.fixture, integrity: integrityOf(found.fixture) };
  });
}
