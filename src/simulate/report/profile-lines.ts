/** For each profile member that some cases need, an example line to add to the profile. The lines are JSON, which is also valid YAML. */
const LINES: Readonly<Record<string, string>> = {
  whoami: '"whoami": [{ "request": "GET /me", "take": { "user": "json id" } }]',
  list: '"list": [{ "request": "GET /passkeys", "take": { "credentialIds": "json | each at id" } }]',
  rename: '"rename": [{ "request": "PATCH /passkeys/{registered.id}", "json": { "name": "{registered.newLabel}" } }]',
  remove: '"remove": [{ "request": "DELETE /passkeys/{registered.id}" }]',
  signOut: '"signOut": [{ "request": "POST /logout" }]',
  password: '"password": [{ "request": "POST /login/password", "json": { "email": "{user.email}", "password": "{user.password}" } }]',
  stepUp: '"stepUp": [{ "request": "POST /confirm", "json": { "password": "{user.password}" } }]',
  recover:
    '"recover": [{ "request": "POST /recover", "json": { "email": "{user.email}" }, "take": { "recoveryToken": "json token" } }, { "request": "POST /recover/{recoveryToken}" }]',
  gates:
    '"gates": { "locked": { "set": [{ "request": "POST /admin/lock", "json": { "email": "{user.email}" } }], "lift": [{ "request": "POST /admin/unlock", "json": { "email": "{user.email}" } }] } }',
  'has.models': '"has": { "models": ["fbfc3007-154e-4ecc-8c0b-6e020557d7bd"] }',
  'has.challengeSeconds': '"has": { "challengeSeconds": 300 }',
  'has.policy.freshSeconds': '"has": { "policy": { "freshSeconds": 300 } }',
  'has.policy.freshFor': '"has": { "policy": { "freshFor": ["add", "remove"] } }',
  'has.policy.stepUp': '"has": { "policy": { "stepUp": "verified" } }',
  'has.policy.lastPasskey': '"has": { "policy": { "lastPasskey": "kept" } }',
  'has.policy.removedSessions': '"has": { "policy": { "removedSessions": "ended" } }',
  'has.policy.recoveryEnds': '"has": { "policy": { "recoveryEnds": ["passkeys", "sessions", "codes"] } }',
  'has.policy.recoverySeconds': '"has": { "policy": { "recoverySeconds": 600 } }',
  'has.policy.passwordOpens': '"has": { "policy": { "passwordOpens": ["session"] } }',
  'has.policy.signOutEnds': '"has": { "policy": { "signOutEnds": "session" } }',
  'has.policy.unknownUsers': '"has": { "policy": { "unknownUsers": "hidden" } }',
};

/** Finds the example line for a missing profile member; undefined if there is no example. */
export const findProfileLine = (member: string): string | undefined => LINES[member];
