const PHISHING = 'NIST SP 800-63B-4 §3.2.5';
/** The ATT&CK technique "Use Alternate Authentication Material". */
const REUSED = 'ATT&CK T1550';
const REPLAY = 'NIST SP 800-63B-4 §3.2.7';
const ATTESTATION = 'NIST SP 800-63B-4 §3.2.4';

/**
 * Entries of CWE, OWASP ASVS 5.0, NIST SP 800-63B-4 and MITRE ATT&CK for each cause, for auditors. The first row whose pattern matches a
 * cause applies to it.
 */
const REFERENCES: readonly (readonly [cause: RegExp, references: readonly string[]])[] = [
  [/-refused$/, []],
  [/^challenge-of-another-user$|^(?:sign-in-identity|user-of-request|passkeys-of|credential-of-another)/, ['CWE-639', 'ASVS 8.2.2']],
  [/^challenge-(?:constant|guessable|length|shared)/, ['CWE-330', 'ASVS 6.7.2', REPLAY, REUSED]],
  [/^challenge-spent-late$/, ['CWE-294', 'CWE-367', 'ASVS 15.4.2', REPLAY, REUSED]],
  [/^challenge-token-forged$/, ['CWE-347', REPLAY, REUSED]],
  [/^challenge/, ['CWE-294', REPLAY, REUSED]],
  [/^(?:cross|top)-origin/, ['CWE-1021', 'CWE-346', PHISHING]],
  [/^(?:origin|rp-id|passkey-of|site-in)/, ['CWE-346', PHISHING]],
  [/^type/, ['CWE-345']],
  [/^user-verified/, ['CWE-308']],
  [/^user-present$/, ['NIST SP 800-63B-4 §3.2.8']],
  [/^signature-form$/, ['CWE-20']],
  [/^sign(?:ature|ed-data)/, ['CWE-347']],
  [/^(?:user-handle|another-user|credential-(?:known|unknown|id-unsigned|id-cut|id-case))/, ['CWE-639']],
  [/^unsigned-copies$/, ['CWE-345']],
  [/^credential-of-refused/, ['CWE-636', 'ASVS 16.5.3']],
  [/^credential-removed$/, ['CWE-672', 'ASVS 6.5.6']],
  [/^sign-count-race$/, ['CWE-367', 'ASVS 15.4.2']],
  [/^sign-count/, ['CWE-345']],
  [/^sign-up-known-address$/, ['CWE-288', 'CWE-639', 'ASVS 8.2.2', 'ATT&CK T1078']],
  [/^sign-up-race$/, ['CWE-367', 'ASVS 15.4.2']],
  [/^session-user$/, ['CWE-488', 'ASVS 7.2.4']],
  [/^session-cookie$/, ['CWE-1004', 'CWE-614', 'CWE-1275', 'ASVS 3.3.1', 'ASVS 3.3.2', 'ASVS 3.3.4']],
  [/^session-repeats$/, ['CWE-330', 'ASVS 7.2.3', 'ATT&CK T1550.004']],
  [/^recovery-code-shown$/, ['CWE-640', 'CWE-201', 'ASVS 6.4.3']],
  [/^(?:credentials-listed|exclude-credentials-of-others|user-handle-naming)$/, ['CWE-200']],
  [/^user-handle-(?:shared|changing)$/, []],
  [/^recovery-check$/, ['CWE-640', 'ASVS 6.4.3']],
  [/^recovery-reuse$/, ['CWE-640', 'ASVS 6.5.1', 'NIST SP 800-63B-4 §4.2.1']],
  [/^password-check$/, ['CWE-287', 'ASVS 6.2.8']],
  [/^password-bypass$/, ['CWE-308', 'ASVS 6.3.4']],
  [/^gate-(?:bypass|recovery|unset)$/, ['CWE-288', 'ASVS 6.3.4', 'ATT&CK T1078']],
  [/^gate-sessions$/, ['CWE-613', 'ASVS 7.4.2', 'ATT&CK T1078']],
  [/^signed-out-(?:changes|registration)$/, ['CWE-306', 'ASVS 8.3.1']],
  [/^step-up-passkey$/, ['CWE-287', 'CWE-639', 'ASVS 7.5.1']],
  [/^step-up-verification$/, ['CWE-308', 'ASVS 7.5.1']],
  [/^step-up-reuse$/, ['CWE-294', 'ASVS 7.5.1', REPLAY, REUSED]],
  [/^(?:fresh-sign-in|step-up)$/, ['CWE-306', 'ASVS 7.5.1']],
  [/^(?:recovery-ends|removed-sessions)$/, ['CWE-613', 'ASVS 7.4.3']],
  [/^last-passkey$/, ['CWE-841']],
  [/^unknown-users$/, ['CWE-204', 'ASVS 6.3.8']],
  [/^(?:account-lockout|sign-out-elsewhere)$/, ['CWE-645']],
  [/^(?:session|recovery)-fixation$/, ['CWE-384', 'ASVS 7.2.4', REUSED]],
  [/^session$/, ['CWE-613', 'ASVS 7.4.1', REUSED]],
  [/^trust/, ['CWE-295', ATTESTATION]],
  [/^(?:model|packed|statement|attestation-(?:statement|trust|excluded))/, ['CWE-345', ATTESTATION]],
  [/^algorithm$/, ['CWE-327']],
  [/^server-ends$/, ['CWE-248', 'ASVS 16.5.4']],
  [/^failure/, ['CWE-755']],
  [/^(?:client-data|attest|authenticator-data|extensions|public-key|credential-id)/, ['CWE-20']],
];

/** Lists the entries in security standards that concern a cause, for auditors. */
export function listReferences(cause: string): readonly string[] {
  return REFERENCES.find(([pattern]) => pattern.test(cause))?.[1] ?? [];
}
