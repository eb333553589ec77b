import assert from 'node:assert/strict';
import type { EngineInfo, PlatformImage } from '../../../../src/contract/control/controlImages.ts';
import { addressProblem, engineWords, gpuWords } from '../../../../src/features/local/engine/model/engineWords.ts';
import { imageChoices, imageTextProblem } from '../../../../src/account/endpoints/imageChoices.ts';
import { imageName, removalWords, totalSize } from '../../../../src/features/local/engine/model/imageWords.ts';

const MB = 1024 * 1024;

function image(name: string, sizeBytes: number): PlatformImage {
  return {
    ...{ id: `sha256:${name}`, references: [name], sizeBytes, createdAt: '2026-01-01T00:00:00Z' },
    ...{ inUse: false, usedBy: [], removable: true },
  };
}

describe('the row of the engine', () => {
  const docker: EngineInfo = {
    ...{
      name: 'Docker',
      version: '20.10.24',
      address: 'unix:///var/run/docker.sock',
      source: 'the Docker context lab',
    },
    reachable: true,
  };
  const words = (engine: EngineInfo | null) => {
    const { label, description, detail } = engineWords({
      kind: 'seen',
      state: { runtime: engine ? 'container' : 'process', engine, gpus: [] },
    });
    return [label.text, description?.text, detail.text];
  };

  it('shows the name, version, address, and origin of an engine', () => {
    assert.deepEqual(words(docker), [
      '$(server-environment) Docker 20.10.24',
      'unix:///var/run/docker.sock',
      'Found through: the Docker context lab. GPUs: none',
    ]);
  });

  it('shows why an engine cannot be reached, and the remedy', () => {
    const lost = { ...docker, version: '', reachable: false, problem: 'connect ECONNREFUSED.' };
    assert.deepEqual(words(lost), [
      '$(warning) Docker Cannot Be Reached',
      'unix:///var/run/docker.sock',
      'connect ECONNREFUSED. Start it, or select another engine. Found through: the Docker context lab',
    ]);
  });

  it('shows an engine that has never responded without a name', () => {
    const [label] = words({ ...docker, name: '', version: '', reachable: false });
    assert.equal(label, '$(warning) Container Engine Cannot Be Reached');
  });

  it('shows that there is no engine, and how to get one', () => {
    const [label, , detail] = words(null);
    assert.equal(label, '$(circle-slash) No Container Engine');
    assert.match(detail ?? '', /start Docker or Podman/);
  });

  it('cannot contain an icon or a link of the engine', () => {
    const hostile = { ...docker, name: '$(error) [x](command:y)' };
    assert.ok(!/\$\(error\)|\]\(/.test(words(hostile).join('')));
  });

  it('lists the GPUs by name', () => {
    const gpu = (name: string, inUse = false) => ({ name, inUse });
    assert.equal(gpuWords([]), 'none');
    assert.equal(gpuWords([gpu('A'), gpu('B', true), gpu('A', true)]), '2 × A (1 in use), B (1 in use)');
  });

  it('accepts the addresses that the platform accepts', () => {
    const good = [
      '',
      'unix:///run/podman.sock',
      'npipe:////./pipe/docker_engine',
      'tcp://10.0.0.1:2376',
      'ssh://a@b',
      'desktop-linux',
    ];
    for (const address of good) assert.equal(addressProblem(address), undefined, address);
    for (const address of ['a context', '/var/run/docker.sock', 'ftp://x', 'ssh://'])
      assert.ok(addressProblem(address));
  });
});

describe('images to pull', () => {
  it('are listed once with their users and a credential, without processes', () => {
    const uses = [
      { image: 'example/a:1', user: 'hello' },
      { image: 'process:/work', user: 'local' },
      { image: 'example/b:1', user: 'b.endpoint.yaml' },
      { image: 'example/a:1', registryId: 'r1', user: 'a.endpoint.yaml' },
      { image: 'example/a:1', registryId: 'r2', user: 'hello' },
    ];
    assert.deepEqual(imageChoices(uses), [
      { image: 'example/a:1', registryId: 'r1', users: ['hello', 'a.endpoint.yaml'] },
      { image: 'example/b:1', registryId: undefined, users: ['b.endpoint.yaml'] },
    ]);
  });

  it('have no protocol, spaces, or directory', () => {
    for (const text of ['a', 'example/a:1', '127.0.0.1:5000/a@sha256:0', ' a ']) {
      assert.equal(imageTextProblem(text), undefined, text);
    }
    for (const text of ['', ' ', 'a b', 'process:/x', 'https://example.com/a']) assert.ok(imageTextProblem(text), text);
  });
});

describe('unused images', () => {
  it('are named by their tag, else by their repository or ID', () => {
    const digest = `@sha256:${'0'.repeat(64)}`;
    assert.equal(imageName({ id: 'sha256:1', references: [`a${digest}`, 'a:1'] }), 'a:1');
    assert.equal(imageName({ id: 'sha256:1', references: ['a:1', 'a:2', 'b:1'] }), 'a:1 and 2 other tags');
    assert.equal(imageName({ id: 'sha256:1', references: [`example/a${digest}`] }), 'example/a');
    assert.equal(imageName({ id: 'sha256:0123456789abcdef', references: [] }), '0123456789ab');
  });

  it('have the sum of their sizes', () => {
    assert.equal(totalSize([image('a', 300 * MB), image('b', 112 * MB)]), '412 MB');
  });

  it('are reported when they are removed, and when some are not', () => {
    const [a, b, c] = [image('a:1', 300 * MB), image('b:1', 111 * MB), image('c:1', MB)];
    assert.equal(removalWords([a, b, c], []).text, 'Removed 3 images, 412 MB');
    assert.equal(
      removalWords([a], [{ image: b, reason: 'a container uses it' }]).text,
      'Removed 1 image, 300 MB. “b:1” was not removed: a container uses it',
    );
    const both = [b, c].map((one) => ({ image: one, reason: 'it is used' }));
    assert.equal(removalWords([], both).text, '2 images were not removed. “b:1”: it is used');
  });
});
