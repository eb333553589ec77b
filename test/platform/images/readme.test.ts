import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { withInstructions } from '../../../scripts/imageInstructions.ts';
import { repository } from '../support.ts';

describe('README: what the image-editing model understands', () => {
  it('is the table of instructions (node scripts/imageInstructions.ts writes it)', async () => {
    const readme = await readFile(path.join(repository, 'README.md'), 'utf8');
    assert.equal(readme, withInstructions(readme));
  });
});
