import type { CeremonyKind } from '../../webauthn/enumerations.js';
import type { StreamDetail, StreamEntry } from '../schemas/stream.js';

/** The parts of a detail that were made with the ceremony, and are kept unchanged. */
export type Outside = Pick<StreamDetail, 'options' | 'response' | 'explanation' | 'fixture' | 'why_no_fixture'>;

/** A ceremony of another site that is over, judged from outside. */
export interface OutsideCeremony {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly endedAt: number;
  readonly entry: Pick<StreamEntry, 'kind' | 'state' | 'rp_id' | 'origins' | 'software' | 'browser' | 'status' | 'message' | 'site'>;
  readonly outside: Outside;
}

/** How to answer the next ceremonies of the site: by a persona, or `plain`; and how to break one of them. */
export interface NextAnswer {
  readonly persona?: string | undefined;
  /** ID of the mutation; null takes the chosen one back. */
  readonly tamper?: string | null | undefined;
}

/** How the next response of a kind is broken. */
export interface NextTamper {
  /** ID of the mutation. */
  readonly id: string;
  readonly title: string;
  readonly kind: CeremonyKind;
}

/** The port to another site that the command line follows in a browser. */
export interface FollowedSite {
  /** Its address. */
  readonly url: string;
  /** Who answers its ceremonies now: a persona, or `plain`. Null: its own authenticators. */
  readonly persona: string | null;
  readonly tamper: NextTamper | null;
  /** @throws PasskeyError `validation_failed` for an unknown persona or mutation. */
  choose(next: NextAnswer): void;
  onCeremony(listener: (ceremony: OutsideCeremony) => void): void;
}
