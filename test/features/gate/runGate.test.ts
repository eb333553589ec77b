import assert from 'node:assert/strict';
import { livingProcesses } from '../../../scripts/editor/processTable.ts';
import { readLocalText } from '../../../src/cli/localFiles.ts';
import { GateError, type GateProblem } from '../../../src/features/gate/actions/gateError.ts';
import { runGate, type GateOptions } from '../../../src/features/gate/actions/runGate.ts';
import { letsPass, verdictOf } from '../../../src/features/manifest/gate/actions/gateVerdicts.ts';
import { gateDocument } from '../../../src/features/gate/model/gateWords.ts';
import { readGated } from '../../../src/features/gate/actions/gatedManifest.ts';
import { cleanUp } from '../../platform/support.ts';
import { PLATFORM_PROGRAM } from '../../support/programs.ts';
import { GateWorld, manifest, worker } from './gateWorld.ts';

describe('The gate of a worker', function () {
  afterEach(cleanUp);

  const options = (world: GateWorld, changes: Partial<GateOptions> = {}): GateOptions => ({
    manifest: world.manifest,
    place: { kind: 'private', platformScript: PLATFORM_PROGRAM },
    values: { variable: () => undefined, secret: () => Promise.resolve(undefined) },
    secretOf: () => undefined,
    readText: readLocalText,
    signal: new AbortController().signal,
    ...changes,
  });
  const verdict = async (world: GateWorld) =>
    verdictOf({ manifest: world.manifest, value: (await readGated(world.manifest, { target: 'local' })).value });
  const code = (expected: GateProblem) => (error: unknown) => {
    assert.ok(error instanceof GateError, String(error));
    assert.equal(error.code, expected, error.message);
    return true;
  };
  const leavesNothing = async (world: GateWorld) => {
    assert.deepEqual(await world.worktrees(), []);
    const left = livingProcesses().filter(({ command }) => command.includes(world.root));
    assert.deepEqual(left, []);
  };

  it('passes for an equal result, stores the verdict, and measures both versions', async () => {
    const world = await GateWorld.create();
    await world.record({ name: 'Ada' }, { name: 'Grace' });
    await world.write(
      'hello/handler.mjs',
      worker('const { length } = input.name; return { length, greeting: `Hello, ${input.name}!` };'),
    );
    const { report, problems, isStored } = await runGate(options(world));
    assert.deepEqual([report.passed, report.failures, problems, isStored], [true, [], [], true]);
    assert.deepEqual(
      report.jobs.map(({ name, outcome, before, after }) => [name, outcome, before, after]),
      [
        ['job1', 'same', 'COMPLETED', 'COMPLETED'],
        ['job2', 'same', 'COMPLETED', 'COMPLETED'],
      ],
    );
    for (const side of [report.before, report.after]) {
      assert.ok((side.coldStartMs ?? 0) > 0);
      assert.ok((side.memoryBytes ?? 0) > 1_000_000);
      assert.ok((side.usd ?? -1) >= 0);
      assert.ok(side.medianMs !== undefined && side.p95Ms !== undefined);
    }
    const stored = await verdict(world);
    assert.ok(letsPass(stored) && stored?.kind === 'run');
    assert.equal(stored.jobs, 2);
    // Other content has no verdict, and the same content has it again.
    await world.write('hello/handler.mjs', worker('return 1;'));
    assert.equal(await verdict(world), undefined);
    await leavesNothing(world);
  });

  it('fails for another output and for a slower worker, with these two reasons', async () => {
    const world = await GateWorld.create({ maxSlower: 20 });
    await world.record({ name: 'Ada' }, { name: 'Grace' }, { name: 'Edsger' });
    await world.write(
      'hello/handler.mjs',
      worker(
        'await new Promise((resolve) => setTimeout(resolve, 300)); return { greeting: `Hello, ${input.name}!`, length: input.name === "Grace" ? 6 : input.name.length };',
      ),
    );
    await world.commit();
    const { report, isStored } = await runGate(options(world, { base: { revision: 'HEAD~1' } }));
    assert.deepEqual(
      report.failures.map((failure) => failure.code),
      ['outputs', 'slower'],
    );
    assert.equal(report.passed, false);
    assert.deepEqual(
      report.jobs.flatMap(({ name, differences }) => differences.map(({ kind, path: at }) => [name, kind, ...at])),
      [['job2', 'number', 'length']],
    );
    assert.ok((report.slowerPercent ?? 0) > 20);
    assert.equal(isStored, true);
    assert.equal(letsPass(await verdict(world)), false);
    await leavesNothing(world);
  });

  it('compares with the version before the last change by default, and with HEAD if there are changes', async () => {
    const world = await GateWorld.create();
    const first = await world.git('rev-parse', '--short', 'HEAD');
    await world.write('hello/handler.mjs', worker('return { greeting: "other" };'));
    await world.commit();
    const second = await world.git('rev-parse', '--short', 'HEAD');
    await world.record({ name: 'Ada' });
    await world.write('README.md', 'A later commit that changes nothing of the worker');
    await world.commit();
    assert.equal((await runGate(options(world))).report.before.label, first);
    await world.write('hello/handler.mjs', worker('return { greeting: "another" };'));
    const { report } = await runGate(options(world));
    assert.equal(report.before.label, await world.git('rev-parse', '--short', 'HEAD'));
    assert.notEqual(report.before.label, second);
  });

  it('stores no verdict about a comparison of a version with itself, and about fewer jobs than the manifest wants', async () => {
    const world = await GateWorld.create();
    await world.record({ name: 'Ada' }, { name: 'Grace' });
    assert.equal((await runGate(options(world, { base: { revision: 'HEAD' } }))).isStored, false);
    await world.write('hello/other.txt', 'x');
    assert.equal((await runGate(options(world, { jobs: 1 }))).isStored, false);
    assert.equal(await verdict(world), undefined);
  });

  it('checks the expectations of a recording instead of comparing, and tells that a job is fixed', async () => {
    const world = await GateWorld.create();
    await world.recordAs('expects', {
      request: { input: { name: 'Ada' } },
      expect: { output: { greeting: 'Hi, Ada!' } },
    });
    await world.recordAs('fails', { request: { input: {} } });
    await world.write('hello/handler.mjs', worker('return { greeting: `Hi, ${input.name}!` };'));
    const { report } = await runGate(options(world));
    assert.deepEqual(
      report.jobs.map(({ name, outcome }) => [name, outcome]),
      [
        ['expects', 'fixed'],
        ['fails', 'fixed'],
      ],
    );
  });

  it('compares the errors of a job that fails on both versions, without the folders and IDs in them', async () => {
    const world = await GateWorld.create();
    const read = "const { readFileSync } = await import('node:fs'); readFileSync(process.cwd() + '/' + input.file);";
    const fails = (type: string) => worker(`if (input.file) { ${read} } throw new ${type}(input.why);`);
    await world.write('hello/handler.mjs', fails('RangeError'));
    await world.commit();
    await world.recordAs('fileIsMissing', { request: { input: { file: 'model.bin' } } });
    await world.recordAs('otherType', { request: { input: { why: 'no text' } } });
    await world.recordAs('refused', {
      request: { input: { why: 'no text' } },
      expect: { status: 'FAILED', error: 'no text' },
    });
    await world.write('hello/handler.mjs', fails('TypeError'));
    const { report } = await runGate(options(world));
    assert.deepEqual(
      report.jobs.map(({ name, outcome, before, after, reason, differences }) => ({
        ...{ name, outcome, before, after },
        ...(name === 'fileIsMissing' ? {} : { reason }),
        differences: differences.map(({ kind, before: old, after: now }) => [kind, old, now]),
      })),
      [
        { name: 'fileIsMissing', outcome: 'same', before: 'FAILED', after: 'FAILED', differences: [] },
        {
          ...{ name: 'otherType', outcome: 'differs', before: 'FAILED', after: 'FAILED' },
          ...{ reason: 'TypeError: no text', differences: [['errorType', 'RangeError', 'TypeError']] },
        },
        {
          ...{ name: 'refused', outcome: 'same', before: 'FAILED', after: 'FAILED' },
          ...{ reason: 'TypeError: no text', differences: [] },
        },
      ],
    );
    assert.deepEqual(report.failures, [{ code: 'outputs', jobs: 1 }]);
    const { source } = gateDocument(report, (text) => text);
    assert.match(source, /The type of the error is TypeError instead of RangeError/);
  });

  it('uses the dependencies of the worker, which the repository does not have', async () => {
    const world = await GateWorld.create();
    await world.write('hello/node_modules/dep/package.json', '{"name":"dep","exports":"./index.mjs"}');
    await world.write('hello/node_modules/dep/index.mjs', 'export const answer = 42;');
    const source = `import { answer } from 'dep';\n${worker('return answer;')}`;
    await world.write('hello/handler.mjs', source);
    await world.commit();
    await world.write('hello/handler.mjs', `${source}// changed\n`);
    await world.record({ name: 'Ada' });
    const { report } = await runGate(options(world));
    assert.equal(report.passed, true);
  });

  it('does not pass if a recording cannot be used or has a secret without a value', async () => {
    const world = await GateWorld.create();
    await world.record({ name: { $secret: 'NAME' } });
    await world.write('hello.recordings/broken.recording.json', '{');
    await world.write('hello/handler.mjs', worker('return input.name;'));
    const { report, problems, isStored } = await runGate(options(world));
    assert.deepEqual(
      problems.map((problem) => problem.code),
      ['notJson'],
    );
    assert.deepEqual(report.failures, [{ code: 'notRun', jobs: 1 }]);
    assert.equal(isStored, false);
  });

  it('leaves no process and no checked out revision after a cancellation, at any time', async () => {
    const world = await GateWorld.create();
    await world.record({ name: 'Ada' }, { name: 'Grace' });
    await world.write('hello/handler.mjs', worker('await new Promise(() => undefined);'));
    for (const last of ['starting', 'job'] as const) {
      const abort = new AbortController();
      const onProgress: GateOptions['onProgress'] = (progress) => {
        const isBeforeJobs = progress.kind === 'job' && progress.done === 0;
        if (progress.kind === last && !isBeforeJobs) abort.abort();
      };
      // The new version never ends its first job.
      if (last === 'job') await world.write('hello/handler.mjs', worker('return 1;'));
      await assert.rejects(runGate(options(world, { onProgress, signal: abort.signal })), { name: 'AbortError' });
      await leavesNothing(world);
    }
  });

  it('cannot run without recordings, revision, or repository', async () => {
    const world = await GateWorld.create();
    await assert.rejects(runGate(options(world)), code('noRecordings'));
    await world.record({ name: 'Ada' });
    for (const revision of ['nonsense', '--all', '-1', 'HEAD~99', ''])
      await assert.rejects(runGate(options(world, { base: { revision } })), code('noRevision'), revision);
    await assert.rejects(runGate(options(world)), code('noRevision'));
    await world.git('rm', '-q', '--cached', 'hello.endpoint.json');
    await world.commit();
    await leavesNothing(world);
  });

  it('cannot run with an invalid manifest, now or earlier', async () => {
    const world = await GateWorld.create();
    await world.record({ name: 'Ada' });
    await world.write('hello.endpoint.json', JSON.stringify({ name: 'hello' }));
    await assert.rejects(runGate(options(world)), code('invalidManifest'));
    await world.commit();
    await world.write('hello.endpoint.json', JSON.stringify(manifest()));
    await assert.rejects(runGate(options(world)), code('notInRevision'));
    await world.write(
      'hello.endpoint.json',
      JSON.stringify(manifest({ type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 1 } })),
    );
    await assert.rejects(runGate(options(world)), code('invalidManifest'));
  });

  it('cannot run if a worker does not start, and names the reason', async () => {
    const world = await GateWorld.create();
    await world.record({ name: 'Ada' });
    await world.write('hello/handler.mjs', 'throw new Error("no model");\n');
    await assert.rejects(runGate(options(world)), (error) => {
      assert.match((error as Error).message, /working tree.*exit code 1/);
      return code('noStart')(error);
    });
    await leavesNothing(world);
  });
});
