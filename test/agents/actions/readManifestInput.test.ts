import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ToolConnection } from '../../../src/agents/actions/agentTool.ts';
import { readManifestInput, targetOf } from '../../../src/agents/actions/readManifestInput.ts';
import { workspaceFiles } from '../../../src/agents/actions/workspaceFiles.ts';
import { ToolError, type ToolErrorCode } from '../../../src/agents/model/toolError.ts';
import { LONGEST_MANIFEST } from '../../../src/features/manifest/model/text/bounds.ts';

describe('The manifest of a call', () => {
  let folder: string;
  const read = (input: Parameters<typeof readManifestInput>[1]) =>
    readManifestInput({ files: workspaceFiles([folder]) }, input);
  const refuses = (input: Parameters<typeof readManifestInput>[1], code: ToolErrorCode) =>
    assert.rejects(read(input), (error) => error instanceof ToolError && error.code === code);

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'cloud-compute-manifests-')));
    await mkdir(path.join(folder, 'sub'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is either a file or a text', async () => {
    await refuses({}, 'invalidInput');
    await refuses({ file: 'a.yaml', text: 'name: a' }, 'invalidInput');
  });

  it('is JSON if its text begins with a brace, or else YAML, and its first part counts by default', async () => {
    assert.deepEqual(await read({ text: 'name: a' }), {
      ...{ text: 'name: a', language: 'yaml', folder: undefined, name: 'the given text', part: 0 },
    });
    const { language, part } = await read({ text: '\n {"name": "a"}', part: 2 });
    assert.deepEqual([language, part], ['json', 2]);
    assert.equal((await read({ text: '' })).text, '');
  });

  it('has the language of its file name, and the folder for its relative paths', async () => {
    for (const [name, language] of [
      ['a.endpoint.json', 'json'],
      ['a.yaml', 'yaml'],
      ['A.YML', 'yaml'],
    ] as const) {
      await writeFile(path.join(folder, 'sub', name), '# é');
      assert.deepEqual(await read({ file: `sub/${name}`, part: 1 }), {
        ...{ text: '# é', language, folder: path.join(folder, 'sub'), name: `sub/${name}`, part: 1 },
      });
    }
  });

  it('is never another file, which could contain secrets, nor one that is too large', async () => {
    await writeFile(path.join(folder, '.env'), 'TOKEN=secret');
    await refuses({ file: '.env' }, 'invalidInput');
    await writeFile(path.join(folder, 'most.yaml'), '#'.repeat(4 * LONGEST_MANIFEST));
    assert.equal((await read({ file: 'most.yaml' })).text.length, 4 * LONGEST_MANIFEST);
    await writeFile(path.join(folder, 'large.yaml'), '#'.repeat(4 * LONGEST_MANIFEST + 1));
    await refuses({ file: 'large.yaml' }, 'tooLarge');
  });

  it('is for the connected platform, or for the local one without a connection', () => {
    const connected = (isLocal: boolean) => ({ connection: () => ({ isLocal }) as ToolConnection });
    assert.deepEqual([targetOf(connected(true)), targetOf(connected(false))], ['local', 'hosted']);
    const failing = (error: Error) => ({
      connection: () => {
        throw error;
      },
    });
    assert.equal(targetOf(failing(new ToolError('notConnected', 'none'))), 'local');
    assert.throws(() => targetOf(failing(new TypeError('a defect'))), TypeError);
  });
});
