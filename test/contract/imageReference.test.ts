import assert from 'node:assert/strict';
import {
  isLocalImage,
  isRepository,
  localImage,
  repositoryIn,
  credentialAddress,
  imageText,
  isOfficialImage,
  parseImageReference,
  type ImageReference,
} from '../../src/contract/imageReference.ts';

const DIGEST = `sha256:${'0a'.repeat(32)}`;

describe('parseImageReference', () => {
  const parse = (text: string): ImageReference => {
    const reference = parseImageReference(text);
    assert.ok(reference, text);
    return reference;
  };

  const complete: Record<string, string> = {
    python: 'docker.io/library/python:latest',
    'python:3.13': 'docker.io/library/python:3.13',
    'team/worker:1': 'docker.io/team/worker:1',
    'docker.io/team/worker': 'docker.io/team/worker:latest',
    'index.docker.io/python': 'docker.io/library/python:latest',
    'localhost/worker': 'localhost/worker:latest',
    'localhost:5000/worker': 'localhost:5000/worker:latest',
    '127.0.0.1:5000/a/b__c/d-e.f:V1.2_x': '127.0.0.1:5000/a/b__c/d-e.f:V1.2_x',
    '[::1]:5000/worker': '[::1]:5000/worker:latest',
    'ghcr.io/team/group/worker:1': 'ghcr.io/team/group/worker:1',
    [`ghcr.io/team/worker@${DIGEST}`]: `ghcr.io/team/worker@${DIGEST}`,
    [`worker:1@${DIGEST}`]: `docker.io/library/worker@${DIGEST}`,
  };
  for (const [text, expected] of Object.entries(complete)) {
    it(`completes ${text}`, () => assert.equal(imageText(parse(text)), expected));
  }

  const invalid = [
    ...[
      '',
      ':1',
      '/worker',
      'team//worker',
      'worker:',
      'Worker',
      'team/Worker:1',
      'worker:tag with blank',
      'worker@sha256:1',
    ],
    ...[`worker@${DIGEST}@${DIGEST}`, 'https://ghcr.io/team/worker', '../worker', 'worker?tag=1', 'a/../b', 'worker#1'],
    ...['x'.repeat(256), `worker:${'1'.repeat(129)}`, 'host:port/worker', 'ghcr.io/', 'worker%2f1'],
  ];
  for (const text of invalid) {
    it(`rejects ${JSON.stringify(text.slice(0, 40))}`, () => assert.equal(parseImageReference(text), undefined));
  }

  it('takes linear time', () => {
    for (const part of ['a-', 'a_', 'a/', 'a.', '-', '_', 'a:']) parseImageReference(`${part.repeat(100_000)}!`);
  });

  it('knows the address of credentials', () => {
    assert.equal(credentialAddress(parse('team/worker')), 'https://index.docker.io/v1/');
    assert.equal(credentialAddress(parse('localhost:5000/worker')), 'localhost:5000');
  });

  it('knows the official images, which are public', () => {
    assert.deepEqual(
      ['python', 'docker.io/library/python', 'team/python', 'ghcr.io/library/python'].map((text) =>
        isOfficialImage(parse(text)),
      ),
      [true, true, false, false],
    );
  });

  it('distinguishes repositories from references with a tag or a digest', () => {
    for (const name of ['hello', 'team/hello', 'registry.example.com/team/hello', 'localhost:5000/hello'])
      assert.ok(isRepository(name), name);
    for (const name of ['hello:1', `hello@sha256:${'0'.repeat(64)}`, 'Hello', '', 'registry.example.com/'])
      assert.ok(!isRepository(name), name);
    assert.equal(repositoryIn(' Registry.example.com/Team/hello:1 '), 'registry.example.com/team/hello');
    assert.equal(repositoryIn('no repository'), undefined);
  });

  it('recognizes images that only this machine has', () => {
    assert.equal(localImage('team/hello', '1'), 'localhost/team/hello:1');
    assert.ok(isLocalImage('localhost/team/hello:1'));
    for (const image of ['localhost:5000/hello:1', 'hello:1', 'localhost', 'process:/home/me'])
      assert.ok(!isLocalImage(image), image);
  });
});
