import type { ExplainDocument } from '../../../explain/document-schema.js';
import type { StreamDetail } from '../../../server/schemas/stream.js';
import type { Asked } from '../../decode.js';
import type { Item, Material } from '../../items.js';
import { stringAt } from '../../json.js';
import { expectedOrigin } from '../../run.js';

/** The explanation of an item, from the server or from what was pasted; undefined until there is one. */
export function explanationOf({ pasted }: Item, detail: StreamDetail | undefined): ExplainDocument | undefined {
  return pasted?.document ?? detail?.explanation ?? undefined;
}

/** What the response is compared with. The steps know it best: what they accepted is not wrong. */
export function askedOf(
  item: Item,
  { options }: Material,
  explanation: ExplainDocument | undefined,
  own: { readonly origin: string; readonly hostname: string },
): Asked {
  const { run, entry } = item;
  const steps = explanation?.steps ?? [];
  const wrongOrigin = steps.find(({ slug, status }) => slug === 'origin' && status === 'fail')?.expected ?? undefined;
  const rpId = stringAt(options, 'rp', 'id') ?? stringAt(options, 'rpId') ?? entry?.rp_id ?? undefined;
  return {
    challenge: stringAt(options, 'challenge'),
    origin: wrongOrigin ?? (run === undefined ? undefined : expectedOrigin(run, own.origin)),
    rpId: rpId ?? (run === undefined ? undefined : own.hostname),
    passed: new Set(steps.filter(({ status }) => status === 'pass').map(({ slug }) => slug)),
  };
}

/** The step at which it failed, from whoever knows: the explanation, or the server's refusal. */
export function failedSlug(item: Item, explanation: ExplainDocument | undefined): string | undefined {
  return explanation?.steps.find(({ status }) => status === 'fail')?.slug ?? item.entry?.step?.slug;
}
