import assert from 'node:assert/strict';
import path from 'node:path';
import { concernsWorker } from '../../../src/platform/domain/workerFiles.ts';

describe('concernsWorker', () => {
  const directory = path.resolve('/work/hello');
  const concerns = (...file: string[]) => concernsWorker(directory, path.resolve(...file));

  it('accepts files in the directory and below it', () => {
    assert.equal(concerns(directory, 'handler.mjs'), true);
    assert.equal(concerns(directory, 'lib/deep/model.py'), true);
    assert.equal(concerns(directory, '..model.py'), true);
  });

  it('rejects other files', () => {
    assert.equal(concerns('/work/other/handler.mjs'), false);
    assert.equal(concerns('/work/hello.endpoint.yaml'), false);
    assert.equal(concerns('/work/hello-2/handler.mjs'), false);
    assert.equal(concerns(directory), false);
  });

  it('rejects installed and generated files', () => {
    for (const ignored of ['node_modules', '.git', '__pycache__', '.venv']) {
      assert.equal(concerns(directory, ignored, 'file'), false, ignored);
      assert.equal(concerns(directory, 'lib', ignored, 'deep/file'), false, ignored);
    }
  });

  it('accepts a worker that is itself in such a directory', () => {
    assert.equal(
      concernsWorker(path.resolve('/work/node_modules/worker'), path.resolve('/work/node_modules/worker/a.mjs')),
      true,
    );
  });
});
