import type { Logger } from 'pino';
import { PasskeyError } from '../../errors.js';
import { createRecorder, type Recorder } from '../../fixture/record.js';
import type { RelyingParty } from '../../relying-party/relying-party.js';
import { makeFolder } from '../../store/file-system.js';
import { version } from '../version.js';

/**
 * Records every ceremony that ends from now on.
 *
 * @throws PasskeyError `configuration_invalid` naming `--record` when the folder cannot be made.
 */
export async function startRecorder(relyingParty: RelyingParty, folder: string, logger: Logger): Promise<Recorder> {
  await makeFolder(folder).catch((cause: NodeJS.ErrnoException) => {
    throw new PasskeyError(
      'configuration_invalid',
      `--record expects a folder; ${folder} cannot be made (${cause.code ?? cause.message}).`,
      { cause },
    );
  });
  const recorder = createRecorder({
    folder,
    tool: 'passkey serve',
    version: version(),
    onWritten: (path) => logger.info({ path }, `recorded ${path}`),
    onSkipped: (reason) => logger.info(`not recorded: ${reason}`),
    onError: (error) => logger.error(error, `cannot record into ${folder}`),
  });
  relyingParty.on(recorder.listen);
  return recorder;
}
