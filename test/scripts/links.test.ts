import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';

interface Link {
  readonly from: string;
  readonly target: string;
}

describe('links in documents', () => {
  it('lead to files and headings that exist', async () => {
    const links = (await Promise.all((await documents()).map(linksOf))).flat();
    assert.ok(links.length > 20, 'the documents contain links');
    const broken: string[] = [];
    for (const { from, target } of links) {
      const [file = '', anchor] = target.split('#', 2);
      const whole = file === '' ? path.join(repository, from) : path.resolve(repository, path.dirname(from), file);
      const leads =
        existsSync(whole) && (anchor === undefined || (await anchorsOf(whole)).includes(decodeURIComponent(anchor)));
      if (!leads) broken.push(`${from}: ${target}`);
    }
    assert.deepEqual(broken, []);
  });
});

async function documents(): Promise<string[]> {
  const patterns = ['*.md', 'docs/**/*.md', 'samples/**/*.md', '.github/**/*.md'];
  const found: string[] = [];
  for await (const file of glob(patterns, { cwd: repository })) found.push(file);
  return found;
}

async function linksOf(from: string): Promise<Link[]> {
  const text = withoutCode(await readFile(path.join(repository, from), 'utf8'));
  return [...text.matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => ({ from, target }))
    .filter(({ target }) => !/^[a-z]+:/.test(target));
}

/** Returns the anchors of a document's headings in GitHub's format. */
async function anchorsOf(file: string): Promise<string[]> {
  const text = withoutCode(await readFile(file, 'utf8'), { spans: false });
  return [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-'),
  );
}

/** Removes code blocks and, by default, code spans. */
function withoutCode(text: string, { spans = true } = {}): string {
  const withoutBlocks = text.replaceAll(/^```[\s\S]*?^```/gm, '');
  return spans ? withoutBlocks.replaceAll(/`[^`\n]*`/g, '') : withoutBlocks;
}
