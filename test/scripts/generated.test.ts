import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { generatedFiles } from '../../scripts/docs/generated.ts';
import { repository } from '../../scripts/editor/build.ts';

describe('generated files', () => {
  it('match the contract and package.json', async () => {
    const files = [...(await generatedFiles())];
    assert.ok(files.length > 0);
    for (const [file, content] of files) {
      assert.equal(
        await readFile(path.join(repository, file), 'utf8'),
        content,
        `${file} is out of date; run "npm run generate"`,
      );
    }
  });
});
