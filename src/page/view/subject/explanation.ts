import type { ExplainDocument } from '../../../explain/document-schema.js';
import type { StreamDetail } from '../../../server/schemas/stream.js';
import type { Asked } from '../../decode.js';
import { type Item, isCeremony, type Material } from '../../items.js';
import { stringAt } from '../../json.js';
import { type BrowserError, expectedOrigin, findBrowserLeg } from '../../run.js';
import type { Verdict } from '../../verdicts.js';

/** Finds the explanation of an item, from the server or from pasted data; undefined if none has arrived. */
export function findExplanation({ pasted }: Item, detail: StreamDetail | undefined): ExplainDocument | undefined {
  return pasted?.document ?? detail?.explanation ?? undefined;
}

/** Verdicts that come with steps, because the server or `explain` judged a response. */
const JUDGED: readonly Verdict[] = ['verified', 'rejected'];

/** Tests whether the explanation of an item is still to come. */
export function awaitsExplanation(
  item: Item,
  { followed, status }: { readonly followed: boolean; readonly status: string | undefined },
): boolean {
  if (!isCeremony(item) || !followed || status === 'loaded' || status === 'failed') return false;
  return JUDGED.includes(item.verdict) && (item.run === undefined || item.run.legs.length > 2);
}

/** Finds the explanation of a ceremony that another server judged: a pasted one, or one of the site that `passkey browse` follows. */
export function findForeign({ pasted, entry }: Item, detail: StreamDetail | undefined): ExplainDocument | undefined {
  return pasted?.document ?? (entry?.site === undefined ? undefined : (detail?.explanation ?? undefined));
}

/** Finds the explained exception that the browser threw, in this tab or in another tab that reported it to the server. */
export function findBrowserError({ run, entry }: Item, detail: StreamDetail | undefined): BrowserError | undefined {
  if (run !== undefined) return findBrowserLeg(run)?.error;
  const { error = null, message = null } = entry?.browser ?? {};
  const explanation = detail?.browser_explanation ?? null;
  return error === null || explanation === null ? undefined : { name: error, message: message ?? '', explanation };
}

/** Collects the values to compare a response with. A value that a step accepted is never marked as wrong. */
export function collectExpected(
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
