import assert from 'node:assert/strict';
import { PathTree } from '../../../src/platform/http/pathTree.ts';

describe('Finding what is kept for a path', () => {
  const tree = new PathTree<string>();
  tree.add('POST', '/{endpointId}/run', 'run');
  tree.add('GET', '/{endpointId}/status/{jobId}', 'status');
  tree.add('POST', '/image-edit/run', 'edit');
  tree.add('GET', '/v2/serverless', 'list');
  tree.add('POST', '/v2/serverless', 'create');
  tree.add('DELETE', '/v2/serverless/{id}', 'delete');
  const found = (method: string, path: string) => {
    const match = tree.find(method, path);
    return match && [match.value, match.parameters];
  };

  it('tells the parameters under the names of its own template, decoded', () => {
    assert.deepEqual(found('GET', '/e%201/status/j%2F1'), ['status', { endpointId: 'e 1', jobId: 'j/1' }]);
    assert.deepEqual(found('DELETE', '/v2/serverless/x'), ['delete', { id: 'x' }]);
  });

  it('takes what cannot be decoded as it is', () => {
    assert.deepEqual(found('DELETE', '/v2/serverless/%zz'), ['delete', { id: '%zz' }]);
  });

  it('prefers fixed texts, and goes back to a parameter where they lead to nothing', () => {
    assert.deepEqual(found('POST', '/image-edit/run'), ['edit', {}]);
    assert.deepEqual(found('GET', '/image-edit/status/j'), ['status', { endpointId: 'image-edit', jobId: 'j' }]);
    assert.deepEqual(found('POST', '/v2/run'), ['run', { endpointId: 'v2' }]);
  });

  it('finds nothing for another method, a path that is longer or shorter, and an empty parameter', () => {
    assert.equal(found('PUT', '/v2/serverless'), undefined);
    assert.equal(found('GET', '/v2/serverless/'), undefined);
    assert.equal(found('GET', '/v2'), undefined);
    assert.equal(found('DELETE', '/v2/serverless/x/y'), undefined);
    assert.equal(found('POST', '//run'), undefined);
    assert.equal(found('GET', '*'), undefined);
  });

  it('is not misled by names that every object has', () => {
    assert.equal(found('GET', '/__proto__/constructor'), undefined);
    assert.deepEqual(found('POST', '/__proto__/run'), ['run', { endpointId: '__proto__' }]);
  });

  it('tells the methods of a path, of all templates that fit', () => {
    assert.deepEqual(tree.methods('/v2/serverless').sort(), ['GET', 'POST']);
    assert.deepEqual(tree.methods('/image-edit/run'), ['POST']);
    assert.deepEqual(tree.methods('/nowhere'), []);
  });

  it('refuses a second of the same', () => {
    assert.throws(() => tree.add('DELETE', '/v2/serverless/{other}', 'again'), /there twice/);
  });
});
