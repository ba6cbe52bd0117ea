import { readFileSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitepress';

const root = new URL('../../../', import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));

/** A section of docs/README.md as a group of the sidebar: its links, in their order. */
function readGroup(text) {
  const items = [...text.matchAll(/\[([^\]]+)\]\(([^)#]+\.md)(#[^)]+)?\)/g)].map(([, title, path, anchor = '']) => ({
    text: title.replaceAll('`', ''),
    link: new URL(path, 'https://site/docs/').pathname + anchor,
  }));
  return { text: text.slice(0, text.indexOf('\n')), items, collapsed: true };
}

const index = readFileSync(new URL('docs/README.md', root), 'utf8');
const groups = index
  .split(/^## /m)
  .slice(1)
  .filter((section) => !/^I (?:…|want)/.test(section))
  .map(readGroup);

/** The pages by section, for language models (llmstxt.org): each with its Markdown. */
function listPages() {
  const sections = groups.map(({ text, items }) => {
    const links = items.map(({ text: title, link }) => `- [${title}](${link.replace(/^\//, '')})`);
    return [`## ${text}`, '', ...links, ''].join('\n');
  });
  return `# passkey\n\n> ${DESCRIPTION}\n\nFor coding agents: [docs/agents.md](docs/agents.md)\n\n${sections.join('\n')}`;
}

/** The Markdown of each page beside its HTML, and the list of all. */
async function writeMarkdown({ srcDir, outDir, pages }) {
  for (const page of pages) {
    const file = join(outDir, page);
    await mkdir(dirname(file), { recursive: true });
    await copyFile(join(srcDir, page), file);
  }
  await writeFile(join(outDir, 'llms.txt'), listPages());
}

const DESCRIPTION = 'Test passkeys (WebAuthn): browser, authenticator and attacker in one command';

/** Pages link to README.md, SECURITY.md and others outside docs, so all of the repository's are pages of the site. */
export default defineConfig({
  title: 'passkey',
  description: DESCRIPTION,
  buildEnd: writeMarkdown,
  srcDir: '../..',
  srcExclude: ['{node_modules,dist,generated,coverage,test,bench,packaging,build,.ci}/**'],
  outDir: '../../dist-docs',
  rewrites: { 'README.md': 'index.md' },
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    // As GitHub names headings, which test/architecture/links.test.ts holds every link to.
    anchor: {
      slugify: (heading) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
          .replaceAll(' ', '-'),
    },
    config({ renderer: { rules } }) {
      for (const name of ['text', 'code_inline']) {
        const render = rules[name];
        // Pages are no templates: `{{` in them is what it says.
        rules[name] = (...token) => render(...token).replaceAll('{{', '&#123;&#123;');
      }
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    // Only the version of this checkout is built: a release adds its own beside it.
    nav: [
      { text: 'Documentation', link: '/docs/README' },
      { text: version, items: [{ text: 'Changes', link: '/CHANGELOG' }] },
    ],
    sidebar: groups,
  },
});
