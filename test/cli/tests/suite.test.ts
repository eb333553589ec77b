import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { localFiles, readLocalText } from '../../../src/cli/localFiles.ts';
import { readSuite } from '../../../src/cli/tests/suite.ts';

describe('The suite of a folder', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-suite-'));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  const place = (name: string) => path.join(folder, name);
  async function write(files: Readonly<Record<string, string | object>>): Promise<void> {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(path.dirname(place(name)), { recursive: true });
      await writeFile(place(name), typeof content === 'string' ? content : JSON.stringify(content));
    }
  }
  const read = (filter?: string) => readSuite(folder, filter, new AbortController().signal);
  const manifest = {
    ...{ name: 'one', type: 'QUEUE', scaling: { type: 'QUEUE_DELAY', queueDelay: 1 }, image: 'i', disk: 5 },
    cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
  };
  const job = { input: {}, expect: {} };

  it('has an endpoint for each part of a manifest, and a test for each job file with expectations', async () => {
    const yaml = `${JSON.stringify({ ...manifest, name: 'two' })}\n---\n${JSON.stringify({ ...manifest, name: 'three' })}\n`;
    await write({
      ...{ 'a/one.endpoint.json': manifest, 'two.endpoint.yaml': yaml, 'a/one.job.json': job },
      ...{ 'three.job.json': { ...job, endpoint: 'three' }, 'without.job.json': { input: {} }, 'other.json': '{' },
    });
    const { endpoints, tests, problems } = await read();
    assert.deepEqual(problems, []);
    assert.deepEqual(
      endpoints.map(({ text: _, ...rest }) => rest),
      [
        {
          ...{ path: 'a/one.endpoint.json', folder: place('a'), language: 'json', part: 0, name: 'one', type: 'QUEUE' },
          isValid: true,
        },
        ...['two', 'three'].map((name, part) => ({
          ...{ path: 'two.endpoint.yaml', folder, language: 'yaml', part, name, type: 'QUEUE', isValid: true },
        })),
      ],
    );
    assert.deepEqual(
      tests.map((test) => [test.path, test.kind === 'job' && test.uri, test.endpoint.name]),
      [
        ['a/one.job.json', pathToFileURL(place('a/one.job.json')).href, 'one'],
        ['three.job.json', pathToFileURL(place('three.job.json')).href, 'three'],
      ],
    );
  });

  it('has a test for each request with expectations', async () => {
    const scaling = { type: 'REQUEST_COUNT', requestCount: 1 };
    await write({
      'api.endpoint.json': { ...manifest, name: 'api', type: 'LOAD_BALANCER', scaling },
      'api.http':
        '### Ping\n# @expect status 200\nGET /ping\n\n### Not a test\nGET /\n\n###\n# @expect body {"a": 1}\nPOST /a?b\n',
      'queue.endpoint.json': manifest,
      'queue.http': '### Health\n# @expect status 200\nGET {{endpoint:one}}/health\n',
    });
    const { tests, problems } = await read();
    assert.deepEqual(problems, []);
    assert.deepEqual(
      tests.map((test) => [test.path, test.kind === 'request' && test.expect, test.endpoint.name]),
      [
        ['api.http: Ping', { status: 200 }, 'api'],
        ['api.http: POST /a?b', { body: { a: 1 } }, 'api'],
        ['queue.http: Health', { status: 200 }, 'one'],
      ],
    );
  });

  it('reports an invalid expectation, and a request to an unknown endpoint', async () => {
    await write({
      'a.http': '# @expect status ok\nGET {{endpoint:x}}/\n',
      'b.http': '# @expect status 200\nGET {{endpoint:x}}/\n',
    });
    const { tests, problems } = await read();
    assert.deepEqual(tests, []);
    assert.deepEqual(
      problems.map((one) => [one.path, /^line (\d)/.exec(one.message)?.[1]]),
      [
        ['a.http', '1'],
        ['b.http', '2'],
      ],
    );
  });

  it('has only the tests that match the filter: the name of the file, or its path if the filter has a slash', async () => {
    await write({ 'one.endpoint.json': manifest, 'a.job.json': job, 'x/a.job.json': job, 'x/b.job.json': job });
    const paths = async (filter: string) => (await read(filter)).tests.map((test) => test.path);
    assert.deepEqual(await paths('a.*'), ['a.job.json', 'x/a.job.json']);
    assert.deepEqual(await paths('x/*'), ['x/a.job.json', 'x/b.job.json']);
    assert.deepEqual(await paths('none'), []);
  });

  it('names each file that cannot be used, with the reason', async () => {
    const scaling = { type: 'REQUEST_COUNT', requestCount: 1 };
    await write({
      ...{ 'bad.endpoint.yaml': 'name: x\ntype: NONE\n', 'one.endpoint.json': manifest },
      'web.endpoint.json': { ...manifest, name: 'web', type: 'LOAD_BALANCER', scaling },
      ...{ 'invalid.job.json': '{\n  "input": 1, "expect": {} }', 'large.job.json': '', 'large.endpoint.yaml': '' },
      ...{ 'other.job.json': { ...job, endpoint: 'other' }, 'web.job.json': { ...job, endpoint: 'web' } },
    });
    await writeFile(place('binary.job.json'), Uint8Array.of(0xff, 0xfe, 0xfd));
    await truncate(place('large.job.json'), 20 * 1_048_576 + 1);
    await truncate(place('large.endpoint.yaml'), 100 * 1_048_576);
    await mkdir(place('folder.job.json'));
    await symlink(place('nowhere'), place('link.job.json'));
    const { problems, tests } = await read();
    const messages = Object.fromEntries(problems.map(({ path: name, message }) => [name, message]));
    assert.deepEqual(tests, []);
    const { 'bad.endpoint.yaml': bad = '', 'invalid.job.json': invalid = '', ...others } = messages;
    assert.match(bad, /^line 2, column 7: /);
    assert.match(invalid, /^line 2, column 12: /);
    assert.deepEqual(others, {
      'binary.job.json': 'is not UTF-8 text',
      'folder.job.json': 'is a folder',
      'large.endpoint.yaml': 'is too large',
      'large.job.json': 'is too large',
      'link.job.json': 'cannot be read',
      'other.job.json': "no manifest has the name 'other'",
      'web.job.json': 'web.endpoint.json describes a load-balanced endpoint, which takes no jobs',
    });
  });

  it('has no test without a manifest', async () => {
    await write({ 'a.job.json': job });
    const { problems } = await read();
    assert.deepEqual(problems, [
      { path: 'a.job.json', message: 'no manifest belongs to this file; name its endpoint in the property "endpoint"' },
    ]);
  });
});

describe('Files of this machine', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-files-'));
    await writeFile(path.join(folder, 'file'), 'text');
    await mkdir(path.join(folder, 'folder'));
    for (const target of ['file', 'folder', 'nothing'])
      await symlink(path.join(folder, target), path.join(folder, `link to ${target}`));
    await symlink('/dev/null', path.join(folder, 'link to device'));
  });

  after(() => rm(folder, { recursive: true, force: true }));

  it('have a kind, which is that of the target for a link', async () => {
    const entries = await localFiles.list(folder);
    assert.deepEqual(Object.fromEntries(entries.map(({ name, kind }) => [name, kind])), {
      ...{ file: 'file', folder: 'folder', 'link to file': 'file', 'link to folder': 'linkToFolder' },
      ...{ 'link to nothing': 'other', 'link to device': 'other' },
    });
    const [first] = entries.filter(({ name }) => name === 'file');
    assert.equal(first?.place, path.join(folder, 'file'));
    assert.equal(await localFiles.size(first.place), 4);
    assert.equal(Buffer.from(await localFiles.read(first.place)).toString(), 'text');
  });

  it('are read as schemas if they have at most 10 MB', async () => {
    const file = path.join(folder, 'schema');
    const uri = pathToFileURL(file).href;
    await writeFile(file, '{}');
    assert.equal(await readLocalText(uri), '{}');
    await truncate(file, 10 * 1_048_576);
    assert.equal((await readLocalText(uri)).length, 10 * 1_048_576);
    await truncate(file, 10 * 1_048_576 + 1);
    await assert.rejects(readLocalText(uri), /schema is larger than 10485760 bytes$/);
  });
});
