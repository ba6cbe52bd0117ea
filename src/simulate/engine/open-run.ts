import { poolingRsaKeys, reusingRsaKey, systemKeyPairs } from '../../authenticator/key-pair.js';
import type { RetryOptions } from '../http/rate-limit.js';
import { checkProfile } from '../target/compile-profile.js';
import { openDriver } from '../target/open-driver.js';
import { listGates } from '../target/profile-schema.js';
import { type ReadProfile, readProfile } from '../target/read-profile.js';
import type { OwnApi, RunContext } from './context.js';
import { type InProcessServer, startInProcess } from './in-process.js';
import { type RemoteOptions, remoteTarget } from './remote.js';
import { usualKeyPairs } from './usual-values.js';

/**
 * Opens the shared state of a run.
 *
 * @throws PasskeyError `usage` for a target that is not the URL of a server, or that may not be tested.
 */
export async function openRun({ target, ...retry }: RetryOptions & { readonly target?: RemoteOptions } = {}): Promise<RunContext> {
  const read = await readProfile('passkey', '.');
  const remote = target && remoteTarget({ profile: read, ...target }, retry);
  const servers: InProcessServer[] = [];
  const idle: InProcessServer[] = [];
  return {
    borrowServer() {
      const server = idle.pop() ?? startInProcess();
      if (!servers.includes(server)) servers.push(server);
      return server;
    },
    giveBack(server) {
      idle.push(server);
    },
    latest: undefined,
    remote,
    ownApi: compileOwnApi(read),
    signal: retry.signal,
    // One RSA key serves a whole run: generating one takes longer than many cases together. In process, one that is known cannot be misused.
    newPrivateKey: usualKeyPairs(reusingRsaKey(remote === undefined ? poolingRsaKeys(systemKeyPairs, () => 0) : systemKeyPairs)),
    async close() {
      await remote?.close();
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

function compileOwnApi(read: ReadProfile): OwnApi {
  const compiled = checkProfile(read.profile, read.where);
  return {
    has: read.profile.has ?? {},
    gates: listGates(read.profile),
    opensAccounts: false,
    offers: (action) => compiled.lists[action].length > 0,
    reads: compiled.uses,
    open: ({ injected }, users) => openDriver({ profile: read, url: injected.url.href, connections: injected, ...users }, compiled),
  };
}
