import assert from 'node:assert/strict';
import {
  completeFileName,
  endpointNameOf,
  fileNameProblem,
  newFileName,
} from '../../../../../src/features/manifest/model/starters/fileNames.ts';

describe('Names of new manifests', () => {
  it('are not taken, without regard to case', () => {
    assert.equal(newFileName('hello', []), 'hello.endpoint.yaml');
    assert.equal(newFileName('hello', ['Hello.endpoint.yaml', 'hello-2.endpoint.yaml']), 'hello-3.endpoint.yaml');
    assert.equal(newFileName('hello', ['hello.endpoint.yaml'], 'json'), 'hello.endpoint.json');
  });

  it('contain no special characters of the source', () => {
    assert.equal(newFileName('vLLM, OpenAI-compatible server', []), 'vllm-openai-compatible-server.endpoint.yaml');
    for (const odd of ['', '../..', '\u0000', 'CON', '***']) assert.equal(newFileName(odd, []), 'hello.endpoint.yaml');
    for (const name of ['a/b', 'é: ü', 'x'.repeat(500)])
      assert.equal(fileNameProblem(newFileName(name, [])), undefined);
  });

  it('get the extension of manifests', () => {
    for (const text of ['mine', ' mine ', 'mine.yaml', 'mine.endpoint', 'mine.'])
      assert.equal(completeFileName(text), 'mine.endpoint.yaml', text);
    assert.equal(completeFileName('mine.json'), 'mine.endpoint.json');
    assert.equal(completeFileName('mine.endpoint.yml'), 'mine.endpoint.yml');
    assert.equal(completeFileName('v1.2'), 'v1.2.endpoint.yaml');
  });

  it('must be file names', () => {
    for (const name of ['a.endpoint.yaml', 'a.endpoint.yml', ' a b.endpoint.json '])
      assert.equal(fileNameProblem(name), undefined);
    for (const name of ['', '.yaml', '.endpoint.yaml', 'a/b.endpoint.yaml', '..\\a.endpoint.json', 'nul.endpoint.yaml'])
      assert.equal(typeof fileNameProblem(name), 'string', name);
  });

  it('name their endpoints', () => assert.equal(endpointNameOf(' my-app.endpoint.json'), 'my-app'));
});
