import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildImage } from '../../../scripts/image/buildImage.ts';

/* A small program takes the place of Node.js, because the content of the image is another test: test/engines/platformImage.test.ts. */

const NODE = '/bin/true';
const NAME = 'registry.example.com/team/platform:1';

describe('buildImage', () => {
  let folder = '';
  before(function () {
    if (process.platform !== 'linux' || !existsSync(NODE)) this.skip();
    folder = mkdtempSync(path.join(tmpdir(), 'cloud-compute-'));
    mkdirSync(path.join(folder, 'dist'), { recursive: true });
    const files = {
      'platform.js': 'import("./start-A1B2C3D4.js");',
      'start-A1B2C3D4.js': 'import{a}from"./chunk-A1B2C3D5.js";',
      'chunk-A1B2C3D5.js': 'export const a = 1;',
      'platform.js.map': '{}',
      'imageThread.js': 'import"./chunk-A1B2C3D5.js";',
      'snapshotProcess.js': '',
      'jsonThread.js': 'import"./chunk-A1B2C3D5.js";',
      'extension.js': 'import"./tree-A1B2C3D6.js";',
      'tree-A1B2C3D6.js': '',
      'THIRD_PARTY_NOTICES.txt': 'the licenses of the packages',
    };
    for (const [file, content] of Object.entries(files)) writeFileSync(path.join(folder, 'dist', file), content);
  });

  after(() => folder && rmSync(folder, { recursive: true }));

  const build = (output: string) =>
    buildImage({ ...{ dist: path.join(folder, 'dist'), node: NODE, name: NAME }, output });
  const tar = (...args: readonly string[]): string => execFileSync('tar', args, { encoding: 'utf8' });
  const document = (archive: string, name: string): unknown => JSON.parse(tar('-xOf', archive, name));

  it('gives equal archives for equal files, whatever their times', async () => {
    const [one, other] = [path.join(folder, 'one.tar'), path.join(folder, 'new', 'other.tar')];
    const first = await build(one);
    utimesSync(path.join(folder, 'dist', 'platform.js'), 1, 1);
    assert.deepEqual(await build(other), first);
    assert.deepEqual(readFileSync(other), readFileSync(one));
    assert.deepEqual(readdirSync(path.dirname(other)), ['other.tar'], 'no temporary files are left');
  });

  it('describes the image for Docker and for OCI', async () => {
    const archive = path.join(folder, 'documents.tar');
    const { id, digest, size } = await build(archive);
    assert.equal(readFileSync(archive).length, size);
    const blob = (digest_: string): string => `blobs/${digest_.replace(':', '/')}`;
    const manifest = document(archive, blob(digest)) as { config: { digest: string }; layers: { digest: string }[] };
    assert.equal(manifest.config.digest, id);
    assert.deepEqual(document(archive, 'manifest.json'), [
      { Config: blob(id), RepoTags: [NAME], Layers: manifest.layers.map((layer) => blob(layer.digest)) },
    ]);
    const index = document(archive, 'index.json') as { manifests: { digest: string; annotations: object }[] };
    assert.deepEqual(
      index.manifests.map((one) => one.digest),
      [digest],
    );
    assert.deepEqual(Object.values(index.manifests[0]?.annotations ?? {}), [NAME, '1']);
    assert.equal((document(archive, blob(id)) as { os: string }).os, 'linux');
  });

  it('contains the files of the platform, and none of the editor', async () => {
    const archive = path.join(folder, 'files.tar');
    const { digest } = await build(archive);
    const { layers } = document(archive, `blobs/${digest.replace(':', '/')}`) as { layers: { digest: string }[] };
    tar('-C', folder, '-xf', archive);
    const files = layers.map((layer) =>
      tar('-tzf', path.join(folder, 'blobs', layer.digest.replace(':', '/')))
        .trim()
        .split('\n'),
    );
    assert.deepEqual(files[1], [
      ...[
        'opt/',
        'opt/cloud-compute/',
        'opt/cloud-compute/THIRD_PARTY_NOTICES.txt',
        'opt/cloud-compute/chunk-A1B2C3D5.js',
      ],
      ...[
        'imageThread.js',
        'jsonThread.js',
        'package.json',
        'platform.js',
        'snapshotProcess.js',
        'start-A1B2C3D4.js',
      ].map((name) => `opt/cloud-compute/${name}`),
    ]);
    const system = [
      'data/',
      'etc/passwd',
      'etc/ssl/certs/ca-certificates.crt',
      'home/platform/',
      'tmp/',
      'usr/local/bin/node',
    ];
    assert.deepEqual(
      system.filter((name) => !files[0]?.includes(name)),
      [],
    );
    assert.ok(
      files[0]?.some((name) => name.endsWith('/libc.so.6')),
      'the libraries of the program are there',
    );
  });

  it('fails without a build, and leaves nothing', async () => {
    const empty = path.join(folder, 'empty');
    await assert.rejects(
      buildImage({ dist: empty, node: NODE, name: NAME, output: path.join(empty, 'x.tar') }),
      /npm run build/,
    );
    assert.deepEqual(readdirSync(empty), []);
  });
});
