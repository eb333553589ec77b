import assert from 'node:assert/strict';
import { parseViewDocumentPath, viewDocumentPath } from '../../../../src/features/jobs/view/viewDocumentAddress.ts';

describe('Address of a document about a job', () => {
  const address = { kind: 'request', connectionId: 'local', endpointId: 'e1', jobId: '0b9f3c1e-aaaa-u1' } as const;

  it('contains the name of the endpoint and the start of the job ID, for the tab', () => {
    assert.equal(viewDocumentPath(address, 'hello'), '/request/local/e1/0b9f3c1e-aaaa-u1/hello 0b9f3c1e.request.json');
    assert.ok(viewDocumentPath({ ...address, kind: 'log' }, 'a/b').endsWith('/a-b 0b9f3c1e.log'));
  });

  it('is parsed to the same IDs, whatever they contain', () => {
    for (const id of ['a/b', '.vscode', '~', 'ü %2F', '..', '[x](command:y)']) {
      const some = { ...address, connectionId: `c${id}`, endpointId: `${id}e`, jobId: id };
      assert.deepEqual(parseViewDocumentPath(viewDocumentPath(some, id)), some);
    }
  });

  it('is no address of another file that the editor reads', () => {
    for (const path of [
      '/.vscode/settings.json',
      '/request/local/.editorconfig',
      '/other/a/b/c/d.json',
      '/log/%/b/c/d.log',
    ])
      assert.equal(parseViewDocumentPath(path), undefined);
  });
});
