// dist/THIRD-PARTY-LICENSES.txt: the terms of every package that went into the bundle, which its own files in node_modules no
// longer accompany.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export async function writeLicences(root, packages) {
  const sections = await Promise.all(packages.map((each) => sectionOf(root, each)));
  const text = `The JavaScript in this folder contains code of these packages.\n\n${sections.join('\n\n')}`;
  await writeFile(join(root, 'dist/THIRD-PARTY-LICENSES.txt'), text);
}

async function sectionOf(root, { folder, name, version, license, manifest, contents }) {
  const heading = `${name} ${version} (${license})`;
  const all = (await readdir(join(root, folder))).toSorted();
  const read = async (file) => (await readFile(join(root, folder, file), 'utf8')).replaceAll('\r\n', '\n').trim();
  const texts = await Promise.all(all.filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).map(read));
  const terms = texts.length > 0 ? texts : [licenceWithoutFile(manifest, await Promise.all(all.filter(isReadme).map(read)))];
  return `${heading}\n${'='.repeat(heading.length)}\n\n${[...terms, ...contents.map(({ notice }) => notice)].join('\n\n')}\n`;
}

const isReadme = (file) => /^readme/i.test(file);

/** Some packages state their terms only in the README or package.json. */
function licenceWithoutFile({ name, license, author, homepage }, readmes) {
  const section = readmes.map((readme) => /^#+\s*licen[cs]e\b[\s\S]*/im.exec(readme)?.[0]).find((text) => text !== undefined);
  const holder = typeof author === 'object' ? author.name : author;
  const statement = `${name} comes without a licence file. Its package.json says: license ${license}${holder ? `, author ${holder}` : ''}${homepage ? `, ${homepage}` : ''}.`;
  return section === undefined ? statement : `${statement}\n\nIts README says:\n\n${section.trim()}`;
}
