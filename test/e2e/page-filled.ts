interface Filling {
  /** How many the user ada@example.com gets, each by a registration. */
  readonly passkeys: number;
  /** How many the server knows in the end, those registrations among them. */
  readonly ceremonies: number;
}

/** Fills a development server through its own endpoints: the software authenticator registers and logs in. */
export async function fillServer(url: string, { passkeys, ceremonies }: Filling): Promise<void> {
  const { token } = await post(url, '/dev/sign-in', { email: 'ada@example.com' });
  const bearer = { authorization: `Bearer ${String(token)}` };
  for (let made = 0; made < passkeys; made += 1) {
    const { excludeCredentials: _, ...options } = await post(
      url,
      '/api/passkeys/register/options',
      { app_name: 'Filled', app_url: url },
      bearer,
    );
    const { response } = await post(url, '/dev/answer', { options });
    await post(url, '/api/passkeys/register', response, bearer);
  }
  for (let made = passkeys; made < ceremonies; made += 1) {
    const { response } = await post(url, '/dev/answer', { options: await post(url, '/api/passkeys/login/options', {}) });
    await post(url, '/api/passkeys/login', response);
  }
}

async function post(url: string, path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
  const document: Readonly<Record<string, unknown>> = JSON.parse(text);
  return document;
}
