import type { HttpLeg, Run } from '../run.js';

/** The requests of a run as shell commands. The bearer token is not in them: put it into `PASSKEY_TOKEN`. */
export function runToCurl(run: Run, origin: string): string {
  const legs = run.legs.filter((leg): leg is HttpLeg => leg.kind === 'http');
  const token = legs.some((leg) => leg.bearer) ? "# PASSKEY_TOKEN=$(passkey token create --user 'you@example.com')\n" : '';
  return `${token}${legs.map((leg) => legToCurl(leg, origin)).join('\n')}\n`;
}

function legToCurl({ method, path, body, bearer }: HttpLeg, origin: string): string {
  return [
    `curl -sS -X ${method} ${quote(origin + path)}`,
    ...(bearer ? ['-H "Authorization: Bearer $PASSKEY_TOKEN"'] : []),
    // Development endpoints ask where a request comes from, as for a browser's.
    ...(path.startsWith('/dev/') ? [`-H ${quote(`Origin: ${origin}`)}`] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `--data ${quote(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
}

/** For a POSIX shell: nothing is expanded between single quotes. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
