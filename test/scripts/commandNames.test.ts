import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';
import { extensionTexts } from '../../scripts/l10n/extensionTexts.ts';
import { readManifest, readPackageTexts } from '../../scripts/l10n/packageTexts.ts';

interface Manifest {
  readonly contributes: { readonly commands: readonly { readonly title: string }[] };
}

/** Text in italics or bold, with one of the two marks of Markdown. */
const EMPHASIS = /(?<![\w*])(\*\*|\*|_)(?=[^\s*_])([^*_]+?)\1(?![\w*])/g;

describe('names of commands in documents', () => {
  it('are the whole titles that the editor shows', async () => {
    const { contributes } = (await readManifest()) as Manifest;
    const titles = contributes.commands.map(({ title }) => title);
    const shown = new Set([...titles, ...(await labels())]);
    const wrong: string[] = [];
    let found = 0;
    for (const file of await documents())
      for (const name of emphasizedIn(await readFile(path.join(repository, file), 'utf8'))) {
        if (titles.includes(name)) found++;
        // The name of a command that needs more input, or a short form of a title. Commands of VS Code have their category or menu.
        const namesCommand =
          /\w…$/.test(name) || titles.some((title) => title.startsWith(`${name} `) || title === `${name}…`);
        if (namesCommand && !shown.has(name) && !/: | > /.test(name)) wrong.push(`${file}: ${name}`);
      }
    assert.ok(found > 100, 'the documents name commands');
    assert.deepEqual(wrong, []);
  });
});

/** Resolves with the other texts of the editor, such as those of buttons and menus, without their icons. */
async function labels(): Promise<string[]> {
  const texts = Object.entries(await readPackageTexts());
  const links = texts.flatMap(([, text]) => [...text.matchAll(/\[([^\]]+)\]\(/g)].map(([, label = '']) => label));
  const menus = texts.filter(([key]) => key.startsWith('submenu.')).map(([, text]) => text);
  return [...links, ...menus, ...(await extensionTexts()).map((text) => text.replace(/^\$\([\w-]+\) /, ''))];
}

async function documents(): Promise<string[]> {
  const found: string[] = [];
  for await (const file of glob(['*.md', 'docs/**/*.md', 'samples/*.md', 'samples/*/*.md', 'media/skills/**/*.md'], {
    cwd: repository,
  }))
    found.push(file);
  return found;
}

/** Returns the emphasized texts of a document. A command can be on two lines, and have its category before its title. */
function emphasizedIn(document: string): string[] {
  const text = document.replaceAll(/^ *```[\s\S]*?^ *```/gm, '').replaceAll(/`[^`\n]*`/g, '');
  return [...text.matchAll(EMPHASIS)].map(([, , name = '']) =>
    name.replaceAll(/\s+/g, ' ').replace(/^Cloud Compute: /, ''),
  );
}
