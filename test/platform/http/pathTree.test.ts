import assert from 'node:assert/strict';
import { PathTree } from '../../../src/platform/http/pathTree.ts';

describe('PathTree', () => {
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

  it('returns decoded parameters under the names in the matched template', () => {
    assert.deepEqual(found('GET', '/e%201/status/j%2F1'), ['status', { endpointId: 'e 1', jobId: 'j/1' }]);
    assert.deepEqual(found('DELETE', '/v2/serverless/x'), ['delete', { id: 'x' }]);
  });

  it('returns a parameter that cannot be decoded unchanged', () => {
    assert.deepEqual(found('DELETE', '/v2/serverless/%zz'), ['delete', { id: '%zz' }]);
  });

  it('prefers fixed texts, and tries a parameter if they do not match', () => {
    assert.deepEqual(found('POST', '/image-edit/run'), ['edit', {}]);
    assert.deepEqual(found('GET', '/image-edit/status/j'), ['status', { endpointId: 'image-edit', jobId: 'j' }]);
    assert.deepEqual(found('POST', '/v2/run'), ['run', { endpointId: 'v2' }]);
  });

  it('does not match another method, a longer or shorter path, or an empty parameter', () => {
    assert.equal(found('PUT', '/v2/serverless'), undefined);
    assert.equal(found('GET', '/v2/serverless/'), undefined);
    assert.equal(found('GET', '/v2'), undefined);
    assert.equal(found('DELETE', '/v2/serverless/x/y'), undefined);
    assert.equal(found('POST', '//run'), undefined);
    assert.equal(found('GET', '*'), undefined);
  });

  it('treats the names of object properties like other names', () => {
    assert.equal(found('GET', '/__proto__/constructor'), undefined);
    assert.deepEqual(found('POST', '/__proto__/run'), ['run', { endpointId: '__proto__' }]);
  });

  it('returns the methods of all templates that match a path', () => {
    assert.deepEqual(tree.methods('/v2/serverless').sort(), ['GET', 'POST']);
    assert.deepEqual(tree.methods('/image-edit/run'), ['POST']);
    assert.deepEqual(tree.methods('/nowhere'), []);
  });

  it('rejects a second value for a method and template', () => {
    assert.throws(() => tree.add('DELETE', '/v2/serverless/{other}', 'again'), /already has a value/);
  });
});
