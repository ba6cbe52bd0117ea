import type { EndedCeremony } from '../../browse/ceremony.js';
import type { RecordedFixture } from '../../browse/recording.js';
import { readRpId } from '../../explain/requested-options.js';
import { withoutContents, withoutSecrets } from '../../fixture/response.js';
import { computeIntegrity } from '../../fixture/write.js';
import type { OutsideCeremony } from '../../server/stream/outside-port.js';
import { readTamper } from './answerer.js';

const STATES = { accepted: 'verified', refused: 'rejected', failed: 'rejected', unknown: 'undecided' } as const;

/** Converts a ceremony of a site to an entry for the stream of the test page. */
export function toStream(ceremony: EndedCeremony, recorded: RecordedFixture, now: number): OutsideCeremony {
  const { kind, at, origin, options, persona, tamper, response, error, explanation } = ceremony;
  const { server } = explanation;
  const broken = readTamper(tamper ?? undefined);
  const { challenge: _, ...unanswered } = options;
  return {
    at,
    endedAt: now,
    entry: {
      kind,
      state: error === undefined ? STATES[server?.verdict ?? 'unknown'] : 'expired',
      rp_id: readRpId(options) ?? null,
      origins: [origin],
      software: persona === null ? null : { persona, tamper, ...(broken && { title: broken.title }) },
      browser: error === undefined ? null : { error: error.name, message: error.message, milliseconds: now - at },
      status: server?.status ?? null,
      message: server?.body ?? null,
      site: origin,
    },
    outside: {
      options: { ...withoutContents(ceremony.exchange === undefined ? unanswered : options) },
      response: response === undefined ? null : withoutSecrets(response),
      explanation,
      fixture: 'fixture' in recorded ? { ...recorded.fixture, integrity: computeIntegrity(recorded.fixture) } : null,
      why_no_fixture: 'fixture' in recorded ? null : recorded.reason,
    },
  };
}
