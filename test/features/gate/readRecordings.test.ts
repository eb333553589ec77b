import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {
  readRecording,
  readRecordings,
  RecordingError,
  requestOfRecording,
  secretsOf,
} from '../../../src/features/gate/actions/readRecordings.ts';
import { ValueRecorder } from '../../../src/features/gate/model/recordedValue.ts';

const hash = (content: string) => createHash('sha256').update(content).digest('hex');

const recorded = {
  version: 1,
  endpoint: 'hello',
  submittedAt: '2026-01-01T00:00:00.000Z',
  request: { input: { name: 'Ada' } },
  result: { status: 'COMPLETED', output: 'Hello, Ada!', delayTimeMs: 3, executionTimeMs: 5 },
  worker: { image: 'process:hello', environment: [], volumes: [] },
};

const noSecret = () => undefined;

describe('Recordings', () => {
  let root: string;
  let folder: string;
  beforeEach(async () => {
    root = await mkdtemp(path.join(os.tmpdir(), 'cloud-compute-recordings-'));
    folder = path.join(root, 'hello.recordings');
    await mkdir(folder);
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const manifest = () => path.join(root, 'hello.endpoint.yaml');
  const write = async (name: string, content: unknown) => {
    const file = path.join(folder, name);
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  };
  const withInput = async (input: unknown) =>
    readRecording(await write('j.recording.json', { ...recorded, request: { input } }));
  const code = (expected: string) => (error: unknown) => {
    assert.ok(error instanceof RecordingError, String(error));
    assert.equal(error.code, expected, error.message);
    return true;
  };

  it('of a manifest without a folder are none', async () => {
    assert.deepEqual(await readRecordings(path.join(root, 'other.endpoint.yaml')), { recordings: [], problems: [] });
  });

  it('are read in the order of their submissions, and the invalid ones are reported', async () => {
    await write('a.recording.json', { ...recorded, submittedAt: '2026-03-01T00:00:00.000Z' });
    await write('b.recording.json', recorded);
    await write('c.recording.json', '{');
    await write('a.1.txt', 'content');
    const { recordings, problems } = await readRecordings(manifest());
    assert.deepEqual(
      recordings.map(({ name }) => name),
      ['b', 'a'],
    );
    assert.deepEqual(
      problems.map((problem) => [problem.code, path.basename(problem.file)]),
      [['notJson', 'c.recording.json']],
    );
  });

  it('are refused if they are not recordings', async () => {
    const cases: readonly [string, unknown][] = [
      ['notJson', '[]'],
      ['notJson', 'null'],
      ['notJson', ''],
      ['unknownVersion', { ...recorded, version: 2 }],
      ['invalid', { ...recorded, version: '1' }],
      ['invalid', { ...recorded, more: true }],
      ['invalid', { ...recorded, request: { input: [] } }],
      ['invalid', { ...recorded, submittedAt: 'yesterday' }],
      ['invalid', { ...recorded, result: { status: 'IN_QUEUE' } }],
    ];
    for (const [expected, content] of cases)
      await assert.rejects(readRecording(await write('x.recording.json', content)), code(expected));
    await assert.rejects(readRecording(path.join(folder, 'none.recording.json')), code('unreadable'));
    await mkdir(path.join(folder, 'folder.recording.json'));
    await assert.rejects(readRecording(path.join(folder, 'folder.recording.json')), code('unreadable'));
  });

  it('restore the request exactly', async () => {
    const png = `data:image/png;base64,${Buffer.from([1, 2, 3]).toString('base64')}`;
    const input = {
      text: 'long '.repeat(2_000),
      png,
      secret: 'opensesame',
      odd: { $file: 'x' },
      odder: { $literal: [] },
    };
    const recorder = new ValueRecorder({ secrets: new Map([['WORD', 'opensesame']]), name: 'j' });
    const recording = await withInput(recorder.input(input));
    for (const { name, content } of recorder.files) await writeFile(path.join(folder, name), content);
    assert.deepEqual(secretsOf(recording), ['WORD']);
    const request = await requestOfRecording(recording, (name) => (name === 'WORD' ? 'opensesame' : undefined));
    assert.deepEqual(request, { input });
  });

  it('restore a number that was a secret as a number', async () => {
    const recording = await withInput({ pin: { $secret: 'PIN', type: 'number' } });
    assert.deepEqual(await requestOfRecording(recording, () => '123456'), { input: { pin: 123456 } });
  });

  it('name all secrets that have no value', async () => {
    const recording = await withInput({ a: { $secret: 'A' }, b: [{ $secret: 'B' }] });
    await assert.rejects(requestOfRecording(recording, noSecret), (error) => {
      assert.deepEqual((error as RecordingError).secrets, ['A', 'B']);
      return code('missingSecret')(error);
    });
  });

  it('are refused if a reference is incomplete or ambiguous', async () => {
    const sha256 = hash('');
    const references = [
      { $secret: '' },
      { $secret: 'a b' },
      { $secret: 'A', type: 'boolean' },
      { $secret: 'A', $file: 'a' },
      { $file: 'a' },
      { $file: 'a', sha256: 'x' },
      { $file: 7, sha256 },
      { $file: 'a', sha256, mediaType: 'image/png;base64,AAAA' },
      { $literal: 1 },
      { $literal: {}, more: 1 },
    ];
    for (const reference of references)
      await assert.rejects(
        requestOfRecording(await withInput({ a: reference }), () => 'x'),
        code('invalid'),
      );
  });

  it('are refused if a file is missing or has changed', async () => {
    const input = { a: { $file: 'j.1.txt', sha256: hash('content') } };
    await assert.rejects(requestOfRecording(await withInput(input), noSecret), code('missingFile'));
    await write('j.1.txt', 'Content');
    await assert.rejects(requestOfRecording(await withInput(input), noSecret), code('wrongHash'));
    await write('j.1.txt', 'content');
    assert.deepEqual(await requestOfRecording(await withInput(input), noSecret), { input: { a: 'content' } });
  });

  it('are refused if a file is not in their folder', async () => {
    await writeFile(path.join(root, 'outside.txt'), 'secret');
    await symlink(path.join(root, 'outside.txt'), path.join(folder, 'link.txt'));
    await symlink(root, path.join(folder, 'up'));
    const names = [
      '../outside.txt',
      '/etc/passwd',
      'up/outside.txt',
      'link.txt',
      'a/../../outside.txt',
      '..\\outside.txt',
      'C:/x',
      'a\0b',
    ];
    for (const name of names) {
      const recording = await withInput({ a: { $file: name, sha256: hash('secret') } });
      await assert.rejects(requestOfRecording(recording, noSecret), code('outside'), name);
    }
  });

  it('are refused if they are nested too deeply', async () => {
    const text = JSON.stringify({ ...recorded, request: { input: { deep: 'HERE' } } });
    const file = await write(
      'j.recording.json',
      text.replace('"HERE"', `${'['.repeat(100_000)}${']'.repeat(100_000)}`),
    );
    const recording = await readRecording(file);
    assert.throws(() => secretsOf(recording), code('invalid'));
    await assert.rejects(requestOfRecording(recording, noSecret), code('invalid'));
  });
});
