import assert from 'node:assert/strict';
import { parseResponsePath, responsePath, titleOf } from '../../../../src/features/routes/responses/responseAddress.ts';

const address = { connectionId: '.a/b', requestId: '7f' };

describe('The address of a response', () => {
  it('names the connection, the request, and the content', () => {
    const path = responsePath(address, 'response', titleOf({ method: 'GET', path: '/v1/models?x=secret' }));
    assert.equal(path, '/%2Ea%2Fb/7f/GET v1-models.response.http');
    assert.deepEqual(parseResponsePath(path), { ...address, content: 'response' });
    assert.deepEqual(parseResponsePath(responsePath(address, 'log', 'x'))?.content, 'log');
    const image = responsePath(address, 'body', '../..', 'p/ng');
    assert.equal(image, '/%2Ea%2Fb/7f/response.body.png');
    assert.equal(parseResponsePath(image)?.content, 'body');
  });

  it('is no other file of the editor', () => {
    for (const path of [
      '/.vscode/settings.json',
      '/a/7f',
      '/a/.vscode/x.response.http',
      '/a/7f/x.json',
      '/%E0%A4%A/7f/x.response.http',
    ])
      assert.equal(parseResponsePath(path), undefined, path);
  });
});
