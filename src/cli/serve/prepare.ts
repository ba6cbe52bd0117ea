import { PasskeyError } from '../../errors.js';
import type { Policy } from '../../relying-party/policy.js';
import { type AuthActionSetting, loadAuthAction } from '../../server/auth-action-module.js';
import type { ServeSettings } from '../config/settings.js';
import type { Io } from '../io.js';
import { policyOf } from './policy.js';

/** What the settings of a server name, read: nothing of it needs the port, or the server itself. */
export interface Prepared {
  readonly policy: Policy;
  readonly authAction: AuthActionSetting;
}

/** @throws PasskeyError `configuration_invalid` naming the setting, whether the port is free or not. */
export async function prepare(io: Io, settings: ServeSettings): Promise<Prepared> {
  if (settings.fidoApi && settings.production) {
    throw new PasskeyError(
      'configuration_invalid',
      '--fido-api and --production exclude each other: the callers of the FIDO endpoints prove nothing.',
    );
  }
  return { policy: await policyOf(settings), authAction: await loadAuthAction(settings.authAction, io.cwd) };
}
