import { decodeHTML } from 'entities';

/** One attribute of one element of a page, and how to find it again. */
interface PageAttribute {
  /** CSS; matches this element first. */
  readonly selector: string;
  readonly attribute: string;
  /** Entities decoded. */
  readonly value: string;
  /** Its name on the page: the `name` or `id` of the element, else the attribute. */
  readonly name: string;
}

const TAG = /<([a-z][a-z0-9-]*)((?:\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*)\s*\/?>/gi;
const ATTRIBUTE = /([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))/g;
const NAMED = /^(?:name|id|class|type|http-equiv|rel|for|charset|lang|style)$/;

/** The attributes of a recorded page that could carry a value. What stands in comments is read too: it does no harm. */
export function readAttributes(html: string): PageAttribute[] {
  const seen = new Set<string>();
  return [...html.matchAll(TAG)].flatMap(([, tag = '', rest = '']) => {
    const attributes = [...rest.matchAll(ATTRIBUTE)].map(
      ([, name = '', double, single, bare]) => [name.toLowerCase(), decodeHTML(double ?? single ?? bare ?? '')] as const,
    );
    const found: PageAttribute[] = [];
    for (const [attribute, value] of attributes) {
      const selector = NAMED.test(attribute) || value === '' ? undefined : writeSelector(tag.toLowerCase(), new Map(attributes), attribute);
      // A selector finds the first element only.
      if (selector === undefined || seen.has(`${selector} ${attribute}`)) continue;
      seen.add(`${selector} ${attribute}`);
      const own = new Map(attributes);
      found.push({ selector, attribute, value, name: attribute.startsWith('data-') ? attribute.slice(5) : (own.get('name') ?? attribute) });
    }
    return found;
  });
}

function writeSelector(tag: string, attributes: ReadonlyMap<string, string>, wanted: string): string {
  const id = attributes.get('id');
  if (id !== undefined && /^[A-Za-z][\w-]*$/.test(id)) return `${tag}#${id}`;
  const name = attributes.get('name');
  return name === undefined ? `${tag}[${wanted}]` : `${tag}[name="${name.replaceAll('"', '\\"')}"]`;
}
