import type { ExplainDocument } from '../../explain/document-schema.js';
import type { FailedStep } from '../../errors.js';
export interface StreamEntry {
  id: string; at: string; finished_at: string | null;
  kind: 'registration' | 'authentication' | 'request' | 'change';
  state: 'open' | 'verified' | 'rejected' | 'refused' | 'expired' | 'changed';
  via: string | null; page: boolean; user_agent: string | null; address: string | null;
  request_ids: string[]; rp_id: string | null; origins: string[]; owner: string | null; user: string | null;
  passkey: { id: number; label: string | null } | null;
  code: string | null; message: string | null; step: FailedStep | null; status: number | null;
  changed_options: string[];
  software: { persona: string | null; tamper: string | null } | null;
  browser: { error: string | null; message: string | null; milliseconds: number } | null;
  before: boolean;
}
export interface StreamDetail extends StreamEntry {
  method: string | null; path: string | null; title: string | null;
  options: Record<string, unknown> | null; response: Record<string, unknown> | null;
  change: { type: string; reason: string | null } | null;
  explanation: ExplainDocument | null; fixture: Record<string, unknown> | null; why_no_fixture: string | null;
}
