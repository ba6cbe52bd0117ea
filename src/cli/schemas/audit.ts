import * as Type from 'typebox';
import { AuditEntry } from '../../store/audit/entry.js';

/** With `--follow` each line is one entry. */
export const auditList = Type.Array(AuditEntry, { title: 'passkey audit --json' });
