// The pages of docs/ as HTML: the server shows them in development mode.
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, posix, sep } from 'node:path';
import { Marked } from 'marked';

/** Returns the HTML of every page by its path without `.md`, such as `errors` and `reference/cli`. */
export async function renderDocs(folder) {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.md')).toSorted();
  const names = files.map((file) => file.split(sep).join('/').slice(0, -'.md'.length));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return Object.fromEntries(names.map((name, index) => [name, renderPage(name, texts[index], names)]));
}

function renderPage(name, text, names) {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens);
        return `<h${depth} id="${anchorOf(this.parser.parseInline(tokens, this.parser.textRenderer))}">${html}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const html = this.parser.parseInline(tokens);
        const [path] = href.split('#');
        const isPage = names.includes(posix.join(dirname(name), path.replace(/\.md$/, '')));
        // Other files of the repository are not served.
        if (!/^(?:[a-z]+:|#)/.test(href) && !isPage) return html;
        return `<a href="${href.replace(/\.md(?=#|$)/, '')}">${html}</a>`;
      },
    },
  });
  const [, title = name] = /^# (.+)$/m.exec(text) ?? [];
  const up = '../'.repeat(name.split('/').length - 1);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title.replaceAll('`', '')} · passkey</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${up}docs.css">
</head>
<body>
${name === 'README' ? '' : `<nav><a href="${up}README">Documentation</a></nav>\n`}${marked.parse(text)}</body>
</html>
`;
}

/** The anchor of a heading, as on GitHub. */
const anchorOf = (text) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
