import type { StreamDetail, StreamDocument, StreamEntry } from '../../../src/server/schemas/stream.js';
import type { Service } from '../app.js';

/** `GET /dev/stream` */
export async function list(service: Service, headers: Record<string, string> = {}): Promise<StreamEntry[]> {
  return (await service.inject({ url: '/dev/stream', headers })).json<StreamDocument>().entries;
}

/** `GET /dev/stream/:id` */
export async function detail(service: Service, id: string | undefined): Promise<StreamDetail> {
  return (await service.inject({ url: `/dev/stream/${id}` })).json<StreamDetail>();
}
