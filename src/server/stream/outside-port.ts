import type { CeremonyKind } from '../../webauthn/enumerations.js';
import type { StreamDetail, StreamEntry } from '../schemas/stream.js';

/** Details that were made together with a ceremony of another site, and are kept unchanged. */
export type Outside = Pick<StreamDetail, 'options' | 'response' | 'explanation' | 'fixture' | 'why_no_fixture'>;

/** A ceremony of another site that has ended, checked by the data that the browser saw. */
export interface OutsideCeremony {
  /** When the ceremony happened, in milliseconds since the epoch. */
  readonly at: number;
  readonly endedAt: number;
  readonly entry: Pick<StreamEntry, 'kind' | 'state' | 'rp_id' | 'origins' | 'software' | 'browser' | 'status' | 'message' | 'site'>;
  readonly outside: Outside;
}

/** How to respond to the site's next ceremonies: the persona (or `plain`), and the mutation that breaks one response. */
export interface NextAnswer {
  readonly persona?: string | undefined;
  /** ID of the mutation. Null cancels the chosen one. */
  readonly tamper?: string | null | undefined;
}

/** The mutation that breaks the next response of a kind of ceremony. */
export interface NextTamper {
  /** ID of the mutation. */
  readonly id: string;
  readonly title: string;
  readonly kind: CeremonyKind;
}

/** Port to another site, which the command line follows in a browser. */
export interface FollowedSite {
  /** URL of the site. */
  readonly url: string;
  /** Name of the persona that responds now, or `plain`. Null if the browser's own authenticators respond. */
  readonly persona: string | null;
  readonly tamper: NextTamper | null;
  /** Chooses how to respond to the next ceremonies.@throws PasskeyError `validation_failed` for an unknown persona or mutation. */
  choose(next: NextAnswer): void;
  onCeremony(listener: (ceremony: OutsideCeremony) => void): void;
}
