import assert from 'node:assert/strict';
import { viewDocumentAddresses } from '../../../../src/features/jobs/view/viewDocumentAddress.ts';

describe('Address of a document about a job', () => {
  const address = { kind: 'request', connectionId: 'local', endpointId: 'e1', jobId: 'j1' } as const;

  it('ends with the usual extension of its content', () => {
    const pathOf = (kind: 'request' | 'log') => viewDocumentAddresses.uri({ ...address, kind }, 'hello').path;
    assert.equal(pathOf('request'), '/hello.request.json');
    assert.equal(pathOf('log'), '/hello.log');
  });
});
