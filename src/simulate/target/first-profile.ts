import { parseProfile, writeProfile } from './read-profile.js';

/** Starting profile for a server that uses JSON. The profile's author replaces the requests with those that the server's page sends. */
const COMMENTED = `# How passkey simulate talks to your server. Change the requests to those of your page, then try the profile:
# passkey simulate --target FILE --url URL --probe --write
# docs/targets.md has every member.
format: passkey-target-profile
version: 1
name: NAME
# The origin of the page, if it is not that of --url:
# origin: http://localhost:3000

# What the server has; --probe --write measures the rest.
# Logins: discoverable (the request names no user), named (it names one), or both.
has:
  logins: [discoverable]

# Sign a new user up. Leave it out if the first request of the registration does that.
account:
  - request: POST /sign-up
    headers: { origin: "{origin}" }
    json: { email: "{user.email}", name: "{user.displayName}", password: "{user.password}" }

# Get the options of a registration.
registrationOptions:
  - request: POST /register/options
    # If the options are a member of the answer:
    # take: { options: json data.options }
    headers: { origin: "{origin}" }
    json: { username: "{user.name}" }

# Send the new credential.
register:
  - request: POST /register
    # If a 2xx status alone does not mean success:
    # accept: { status: 2xx, json verified: true }
    headers: { origin: "{origin}" }
    # As the whole body. As a member: { credential: { $: credential } }; as JSON in a text: { credential: { $: credential | string } }
    json: { $: credential }

# Get the options of a login.
authenticationOptions:
  - request: POST /login/options
    headers: { origin: "{origin}" }

# Send the assertion.
authenticate:
  - request: POST /login
    headers: { origin: "{origin}" }
    json: { $: credential }

# Succeeds only for a signed-in user. Without it, no case can show that a refused login gave no access.
whoami:
  - request: GET /me

# Delete the test user. Without it, test users stay on the server.
# cleanup:
#   - request: DELETE /me
`;

/** Writes the contents of a starting profile. Depending on the name of `file`, they are YAML with comments or JSON without comments. */
export async function writeFirstProfile(name: string, file: string): Promise<string> {
  const commented = COMMENTED.replace('name: NAME', `name: ${JSON.stringify(name)}`);
  const { profile } = await parseProfile(commented, 'first.yaml');
  return await writeProfile(profile, file, { commented });
}
