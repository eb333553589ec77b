import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { repository } from '../../scripts/editor/build.ts';
import { writePageTexts } from '../../scripts/l10n/pageTexts.ts';

describe('the texts of a page', () => {
  it('are those of the sources in its script', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-'));
    try {
      const sizes: Record<string, number> = {};
      for (const [page, own, other] of [
        ['billing', 'Show as Table', 'Recent Edits'],
        ['imageEdit', 'Recent Edits', 'Show as Table'],
        ['metrics', 'Show as Charts', 'Recent Edits'],
      ] as const) {
        const { metafile } = await esbuild.build({
          ...{ bundle: true, write: false, metafile: true, format: 'esm', logLevel: 'silent' },
          absWorkingDir: repository,
          entryPoints: [`src/webviews/${page}/main.ts`],
          outfile: path.join(folder, `${page}.js`),
        });
        await writePageTexts(metafile);
        const content = await readFile(path.join(folder, `${page}.texts.json`), 'utf8');
        const texts = JSON.parse(content) as readonly string[];
        assert.deepEqual([texts.includes(own), texts.includes(other)], [true, false], page);
        sizes[page] = content.length;
      }
      assert.ok(Math.max(...Object.values(sizes)) < 20_000, JSON.stringify(sizes));
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
