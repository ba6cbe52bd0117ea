import { once } from 'node:events';
import { connect } from 'node:net';

/** Writes to a fresh connection; `answer` resolves with everything that came once the other side has ended it. */
export async function dial(url: string, text: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk;
  });
  // A connection that the server destroys may end in a reset.
  const closed = new Promise<string>((resolve) => {
    socket.on('error', () => resolve(received)).on('close', () => resolve(received));
  });
  await once(socket, 'connect');
  socket.write(text);
  return { socket, answer: closed };
}

/** Status, header fields in lower case and parsed body of one answer on the wire. */
export function readAnswer(text: string) {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const headers = Object.fromEntries(
    fields.map((field) => [field.split(':')[0]?.toLowerCase(), field.slice(field.indexOf(':') + 1).trim()]),
  );
  return { status: Number(line.split(' ')[1]), headers, body: JSON.parse(body) as Record<string, unknown> };
}
