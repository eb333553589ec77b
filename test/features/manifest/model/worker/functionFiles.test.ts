import assert from 'node:assert/strict';
import { readSources } from '../../../../../src/features/manifest/actions/newWorker.ts';
import { readManifestFile } from '../../../../../src/features/manifest/model/manifestFile.ts';
import {
  functionEndpointName,
  functionFiles,
  isImportable,
} from '../../../../../src/features/manifest/model/worker/functionFiles.ts';
import { pythonFunctions } from '../../../../../src/features/manifest/model/worker/pythonFunctions.ts';
import type { SourceTexts } from '../../../../../src/features/manifest/model/worker/workerFiles.ts';
import { CliWorld } from '../../../../cli/cliWorld.ts';
import { hasPython, python } from '../../../../platform/pythonSdk.ts';
import { cleanUp, repository } from '../../../../platform/support.ts';

describe('The files of a Python function', () => {
  let sources: SourceTexts;
  before(async () => {
    sources = await readSources(repository);
  });
  afterEach(cleanUp);

  /** Returns the new files for the first function of app.py, by their paths. */
  function filesOf(
    text: string,
    existing: Readonly<Record<string, string>> = {},
    name = 'mine',
  ): Record<string, string> {
    const [found] = pythonFunctions(text);
    assert.ok(found);
    const files = functionFiles(
      { name, function: found, file: 'app.py', text, python, textOf: (file) => existing[file] },
      sources,
    );
    return Object.fromEntries(files.map((file) => [file.path, file.text]));
  }

  const HANDLER = 'def predict(job):\n    return {"text": job["input"]["prompt"].upper()}\n';

  it('run a function of each kind, and pass their tests as they are', async function () {
    if (!hasPython()) this.skip();
    const world = await CliWorld.create();
    const functions = {
      handler: HANDLER,
      'handler-coroutine': 'async def predict(event):\n    return event["input"]["prompt"]\n',
      generator: 'def predict(job):\n    yield job["input"]["prompt"]\n    yield 2\n',
      'async-generator': 'async def predict(job):\n    yield 1\n    yield 2\n',
      'with-arguments': 'def classify(text: str, limit=3):\n    assert limit == 3\n    return text[:limit]\n',
      'coroutine-with-arguments': 'async def classify(count: int):\n    return count + 1\n',
      'generator-with-arguments': 'def count(to: int):\n    yield from range(to)\n',
      'async-generator-with-arguments': 'async def count(to: int):\n    yield to\n',
      'own-start': `import serverless\n\n\n${HANDLER}\n\nserverless.start({"handler": predict})\n`,
    };
    for (const [name, text] of Object.entries(functions)) {
      const existing = text.includes('import serverless') ? { 'serverless.py': sources['serverless.py'] } : {};
      const files = { 'app.py': text, ...existing, ...filesOf(text, existing, name) };
      await world.write(Object.fromEntries(Object.entries(files).map(([file, one]) => [`${name}/${file}`, one])));
    }
    const { code, stderr, stdout } = await world.run(['test', world.folder]);
    assert.equal(code, 0, stderr + stdout);
    assert.match(stderr, /9 tests: 9 passed/);
  });

  it('fail a job whose function raises an exception, returns an error, or returns a value that is not JSON', async function () {
    if (!hasPython()) this.skip();
    const world = await CliWorld.create();
    const text = [
      'def predict(job):',
      '    kind = job["input"]["kind"]',
      '    if kind == "raise":',
      '        raise ValueError("as asked")',
      '    return {"error": "refused"} if kind == "return" else {1, 2} if kind == "set" else kind',
      '',
    ].join('\n');
    const job = (kind: string, expect: object) => ({ endpoint: 'mine', input: { kind }, expect });
    await world.write({
      ...{ 'app.py': text, ...filesOf(text) },
      'a.job.json': job('raise', { error: 'ValueError' }),
      'b.job.json': job('return', { error: 'refused' }),
      'c.job.json': job('set', { error: 'not JSON serializable' }),
      'd.job.json': job('next', { output: 'next' }),
    });
    const { code, stderr, stdout } = await world.run(['test', world.folder, '--concurrency', '1']);
    assert.equal(code, 0, stderr + stdout);
    assert.match(stderr, /5 tests: 5 passed/);
  });

  it('are a manifest without problems, a test, a Dockerfile, the entry, and the worker loop', () => {
    const files = filesOf(HANDLER);
    assert.deepEqual(Object.keys(files), [
      ...['mine.endpoint.yaml', 'mine.job.json', 'worker.py', 'serverless.py', 'Dockerfile', '.dockerignore'],
    ]);
    const { parts } = readManifestFile(files['mine.endpoint.yaml'] ?? '', { language: 'yaml', target: 'local' });
    assert.deepEqual(parts[0]?.problems, []);
    assert.match(files['Dockerfile'] ?? '', /^CMD \["python", "-u", "worker\.py"\]$/m);
    assert.doesNotMatch(files['Dockerfile'] ?? '', /requirements/);
    assert.match(files['mine.job.json'] ?? '', /"prompt": "Hello"/);
  });

  it('install the packages of an existing requirements.txt, which stays as it is', () => {
    const files = filesOf(HANDLER, { 'requirements.txt': 'numpy\n' });
    assert.ok(!('requirements.txt' in files));
    assert.match(files['Dockerfile'] ?? '', /^RUN pip install .*requirements\.txt$/m);
  });

  it('use the worker SDK if the code or its requirements do', () => {
    const byRequirements = filesOf(HANDLER, { 'requirements.txt': 'runpod==1.12\n' });
    assert.ok(!('serverless.py' in byRequirements));
    assert.match(byRequirements['worker.py'] ?? '', /^from runpod import serverless$/m);
    const byCode = filesOf(`import runpod\n\n\n${HANDLER}\n\nrunpod.serverless.start({"handler": predict})\n`);
    assert.deepEqual(Object.keys(byCode), [
      ...['mine.endpoint.yaml', 'mine.job.json', 'requirements.txt', 'Dockerfile', '.dockerignore'],
    ]);
    assert.match(byCode['requirements.txt'] ?? '', /^runpod/);
    assert.match(byCode['Dockerfile'] ?? '', /"app\.py"\]$/m);
  });

  it('have other names beside existing files', () => {
    const existing = { ...filesOf(HANDLER), 'serverless.py': '# mine\n', 'worker_loop.py': sources['serverless.py'] };
    const files = filesOf(HANDLER, existing);
    assert.deepEqual(Object.keys(files), [
      ...['mine.endpoint.yaml', 'mine.job.json', 'predict_worker.py', 'mine.Dockerfile'],
    ]);
    assert.match(files['predict_worker.py'] ?? '', /^import worker_loop as serverless$/m);
    assert.match(files['mine.endpoint.yaml'] ?? '', /^ {2}dockerfile: mine\.Dockerfile$/m);
  });

  it('request GPUs for a library that uses them, and run here without', () => {
    const files = filesOf(`import torch\n\n\n${HANDLER}`);
    assert.match(files['mine.endpoint.yaml'] ?? '', /^gpu:$/m);
    assert.match(files['mine.endpoint.yaml'] ?? '', /^ {2}gpu: ignore$/m);
  });

  it('are named after the function, or after its file or folder if its name says little', () => {
    assert.equal(functionEndpointName('/projects/api/app.py', 'classify_text'), 'classify-text');
    assert.equal(functionEndpointName('/projects/api/whisper.py', 'handler'), 'whisper');
    assert.equal(functionEndpointName('/projects/sentiment/main.py', 'handler'), 'sentiment');
    assert.equal(functionEndpointName('/app.py', 'handler'), 'handler');
  });

  it('need a file that can be imported', () => {
    assert.deepEqual(
      [isImportable('app.py', ''), isImportable('my-app.py', ''), isImportable('app.py', 'from .models import a\n')],
      [true, false, false],
    );
  });
});
