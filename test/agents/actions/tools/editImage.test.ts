import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { WorkspaceFiles } from '../../../../src/agents/actions/agentTool.ts';
import { ToolError } from '../../../../src/agents/model/toolError.ts';
import { json } from '../../../client/scriptedServer.ts';
import { repository } from '../../../platform/support.ts';
import { scriptedTools } from '../../scriptedTools.ts';

type Create = WorkspaceFiles['create'];

describe('The edit of an image by an agent', () => {
  /** Edits an image on a platform whose job completes, or ends so. */
  async function edited(image: string, create: Create, end?: object) {
    const icon = await readFile(path.join(repository, 'media/icon.png'));
    await using tools = await scriptedTools({}, ({ path: address }, response) => {
      const completed = { status: 'COMPLETED', output: { image_url: `${tools.origin}/icon.png` } };
      if (address === '/icon.png') response.end(icon);
      else json(response, 200, { id: 'j', ...(end ?? completed) });
    });
    const { files } = tools.context;
    return await tools.call('edit_image', { image, prompt: 'blur' }, { files: { ...files, create } });
  }

  it('fails with the reason of the platform, if there is one', async () => {
    for (const [job, reason] of [
      [{ status: 'FAILED', error: 'no cat' }, 'The edit failed (job j): no cat'],
      [{ status: 'FAILED' }, 'The edit failed (job j): the platform gave no reason'],
    ] as const) {
      const { error } = await edited('https://example.com/a.png', () => assert.fail('saved a file'), job);
      assert.deepEqual([error?.code, error?.message], ['editFailed', reason]);
    }
  });

  it('has the first free of a hundred names, and no other if it cannot be written', async () => {
    for (const [code, tries] of [
      ['fileExists', 100],
      ['outsideWorkspace', 1],
    ] as const) {
      const names: string[] = [];
      const { error, saveProblem, url } = await edited('https://example.com/a.png', (name) => {
        names.push(name);
        assert.ok(names.length <= 100, 'tries at most a hundred names');
        return Promise.reject(new ToolError(code, 'not there'));
      });
      assert.deepEqual([error, saveProblem, typeof url], [undefined, 'not there', 'string']);
      assert.deepEqual([names.length, names[0], names.at(-1)], [tries, 'a-edited-1.png', `a-edited-${tries}.png`]);
    }
  });

  it('has a name of its own if its address has none', async () => {
    const names: string[] = [];
    await edited('https:', (name, { length: size }) => {
      names.push(name);
      return Promise.resolve({ path: name, name, size });
    });
    assert.deepEqual(names, ['image-edited-1.png']);
  });
});
