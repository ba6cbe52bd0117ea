import type { CeremonyKind } from '../../webauthn/enumerations.js';
import type { StreamDetail, StreamEntry } from '../schemas/stream.js';

/** Details of a ceremony at another site. They are made together with the ceremony, and kept unchanged. */
export type Outside = Pick<StreamDetail, 'options' | 'response' | 'explanation' | 'fixture' | 'why_no_fixture'>;

/** A ceremony at another site that has ended, and that was checked by the data that the browser saw. */
export interface OutsideCeremony {
  /** When the ceremony happened, in milliseconds since the epoch. */
  readonly at: number;
  readonly endedAt: number;
  readonly entry: Pick<StreamEntry, 'kind' | 'state' | 'rp_id' | 'origins' | 'software' | 'browser' | 'status' | 'message' | 'site'>;
  readonly outside: Outside;
}

/** How to respond to the site's next ceremonies: with which persona (or `plain`), and with which mutation to break one response. */
export interface NextAnswer {
  readonly persona?: string | undefined;
  /** ID of the mutation. Null cancels the mutation that was chosen before. */
  readonly tamper?: string | null | undefined;
}

/** The mutation that breaks the next response. It applies to one kind of ceremony. */
export interface NextTamper {
  /** ID of the mutation. */
  readonly id: string;
  readonly title: string;
  readonly kind: CeremonyKind;
}

/** Port to another site, which `passkey browse` follows in a browser. */
export interface FollowedSite {
  /** URL of the site. */
  readonly url: string;
  /** Name of the persona that currently responds, or `plain`. Null if the browser's own authenticators respond. */
  readonly persona: string | null;
  readonly tamper: NextTamper | null;
  /** Chooses how to respond to the next ceremonies. @throws PasskeyError `validation_failed` for an unknown persona or mutation. */
  choose(next: NextAnswer): void;
  onCeremony(listener: (ceremony: OutsideCeremony) => void): void;
}
