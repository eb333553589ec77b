import assert from 'node:assert/strict';
import { responseAddresses, titleOf } from '../../../../src/features/requests/responses/responseAddress.ts';

describe('The address of a response', () => {
  const address = { connectionId: '.a/b', requestId: '7f', content: 'response' } as const;

  it('names the connection, the request, and the content', () => {
    const uri = responseAddresses.uri(address, titleOf({ method: 'GET', path: '/v1/models?x=secret' }));
    assert.deepEqual([uri.path, uri.query], ['/GET v1-models.response.http', '.a%2Fb/7f/response']);
    assert.deepEqual(responseAddresses.parse(uri), address);
    const body = { ...address, content: 'body', extension: 'png' } as const;
    const image = responseAddresses.uri(body, titleOf({ method: 'GET', path: '/' }));
    assert.deepEqual([image.path, image.query], ['/GET.body.png', '.a%2Fb/7f/body/png']);
    assert.deepEqual(responseAddresses.parse(image), body);
  });

  it('has no other extension', () => {
    for (const extension of ['p/ng', '', '..'])
      assert.equal(responseAddresses.parse(responseAddresses.uri({ ...address, extension }, 'x')), undefined);
  });
});
