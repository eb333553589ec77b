import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { repository } from '../../scripts/editor/build.ts';
import { errorsOfWorkflow } from '../cli/ci/githubSchema.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface Job {
  readonly 'runs-on': string;
  readonly 'timeout-minutes'?: number;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly needs?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly 'fail-fast'?: boolean; readonly matrix: Readonly<Record<string, readonly string[]>> };
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly concurrency?: { readonly group: string; readonly 'cancel-in-progress': boolean | string };
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = path.join(repository, '.github', 'workflows');
const workflows = new Map(
  readdirSync(folder).map((file) => [file, parse(readFileSync(path.join(folder, file), 'utf8')) as Workflow]),
);
const text = (file: string): string => readFileSync(path.join(folder, file), 'utf8');
const workflow = (file: string): Workflow => workflows.get(file) ?? assert.fail(`${file} is missing`);

const { scripts, devDependencies } = JSON.parse(readFileSync(path.join(repository, 'package.json'), 'utf8')) as Record<
  'scripts' | 'devDependencies',
  Readonly<Record<string, string>>
>;

/** Returns the scripts of package.json that a command runs. */
function scriptsOf(command: string): string[] {
  return [...command.matchAll(/\bnpm (?:run (?:-s |--silent )?([\w:]+)|(test|start)\b)/g)].map(
    ([, run = '', short]) => short ?? run,
  );
}

/** Returns the values of a job's property, with each value of the matrix. */
function valuesOf({ strategy }: Job, value: string): readonly string[] {
  const [, name] = /^\$\{\{ matrix\.(\w+) \}\}$/.exec(value) ?? [];
  return name === undefined ? [value] : (strategy?.matrix[name] ?? []);
}

const isTest = (script: string): boolean => script.startsWith('test:');

const scriptsIn = (jobs: readonly Job[]) =>
  jobs.flatMap(({ steps }) => steps.flatMap(({ run = '' }) => scriptsOf(run)));

for (const [file, { jobs, permissions, concurrency }] of workflows) {
  describe(`Workflow ${file}`, () => {
    for (const [name, job] of Object.entries(jobs)) {
      const runs = job.steps.flatMap(({ run }) => run ?? []);
      const uses = job.steps.flatMap((step) => step.uses ?? []);

      it(`has a timeout and a fixed system for the job ${name}`, () => {
        const timeout = job['timeout-minutes'] ?? Infinity;
        assert.ok(timeout <= 60, `${timeout} minutes`);
        for (const system of valuesOf(job, job['runs-on'])) assert.match(system, /^(ubuntu|macos|windows)-[\d.]+$/);
      });

      it(`runs scripts and files that exist in the job ${name}`, () => {
        const commands = runs.join('\n');
        assert.deepEqual(
          scriptsOf(commands).filter((script) => scripts[script] === undefined),
          [],
        );
        for (const [mentioned] of commands.matchAll(/\b(samples|scripts)\/[\w./-]+/g))
          assert.ok(existsSync(path.join(repository, mentioned)), mentioned);
      });

      it(`pins the actions of the job ${name}`, () => {
        for (const action of uses) {
          assert.match(action, /^[\w-]+\/[\w./-]+@[0-9a-f]{40}$/, 'a commit');
          assert.match(text(file), new RegExp(`uses: ${action} # v\\d+\\.\\d+\\.\\d+\\n`), 'the version of the commit');
        }
        const packages = runs.flatMap((run) => [...run.matchAll(/npx --yes (\S+)@(\S+)/g)]);
        for (const [, name = '', version = ''] of packages) {
          assert.match(version, /^\d+\.\d+\.\d+$/);
          assert.equal(version, devDependencies[name] ?? version, `${name} has the version of package.json`);
        }
        assert.equal(packages.length, runs.filter((run) => run.includes('npx')).length);
      });

      it(`keeps the token of the job ${name} away from its code`, () => {
        for (const { uses: action = '', with: inputs } of job.steps)
          if (action.startsWith('actions/checkout@')) assert.equal(inputs?.['persist-credentials'], false);
      });
    }

    it("matches GitHub's schema", async () => {
      assert.deepEqual(await errorsOfWorkflow(text(file)), []);
    });

    it('limits its runs and its permissions', () => {
      assert.match(concurrency?.group ?? '', /github\.ref/);
      assert.deepEqual(permissions, { contents: 'read' });
    });
  });
}

describe('The schema of GitHub', () => {
  it('has no place for an unknown key', async () => {
    const job = 'runs-on: ubuntu-24.04, stepps: [], steps: [{ run: echo }]';
    assert.notDeepEqual(await errorsOfWorkflow(`on: push\njobs: { a: { ${job} } }`), []);
  });
});

describe('Continuous integration', () => {
  const { on, jobs } = workflow('ci.yml');

  it('runs for pull requests and pushes, without secrets', () => {
    assert.deepEqual(Object.keys(on), ['push', 'pull_request', 'workflow_dispatch']);
    assert.doesNotMatch(text('ci.yml'), /secrets\.|pull_request_target/);
    for (const job of Object.values(jobs)) assert.equal(job.permissions, undefined);
  });

  it('runs all tests, and the extension host on three systems with the oldest and the newest VS Code', () => {
    assert.ok(scriptsIn(Object.values(jobs)).includes('test'));
    const hosts = Object.values(jobs).filter((job) => scriptsIn([job]).includes('test:host'));
    const pairs = hosts.flatMap((job) =>
      valuesOf(job, job['runs-on']).flatMap((system) =>
        valuesOf(job, job.env?.['VSCODE_VERSION'] ?? '').map((version) => `${system.split('-')[0] ?? ''} ${version}`),
      ),
    );
    const expected = ['ubuntu', 'macos', 'windows'].flatMap((system) => [`${system} oldest`, `${system} newest`]);
    assert.deepEqual(pairs, expected);
    for (const { strategy } of hosts) assert.equal(strategy?.['fail-fast'], false);
  });

  it('runs each test script, and the tests of a cluster and of both engines each night', () => {
    const special = ['test:kubernetes'];
    const { kubernetes, engines, ...others } = workflow('nightly.yml').jobs;
    assert.ok(kubernetes && engines);
    assert.deepEqual([scriptsIn([kubernetes]).filter(isTest), others], [special, {}]);
    assert.deepEqual(scriptsIn([engines]).filter(isTest), ['test:engines']);
    // Without an address, the tests start both engines, which they can do as root.
    assert.deepEqual(engines.env, { CLOUD_COMPUTE_REQUIRE_ENGINES: '1' });
    const everything = readFileSync(path.join(repository, 'scripts', 'test.ts'), 'utf8');
    const missing = Object.keys(scripts).filter(
      (script) => isTest(script) && !special.includes(script) && !everything.includes(`'${script}'`),
    );
    assert.deepEqual(missing, []);
  });

  it('requires the container engines, and cancels no run of main', () => {
    assert.equal(jobs['everything']?.env?.['CLOUD_COMPUTE_REQUIRE_ENGINES'], '1');
    const { group, 'cancel-in-progress': cancels } = workflow('ci.yml').concurrency ?? assert.fail();
    assert.equal(cancels, "${{ github.event_name == 'pull_request' }}");
    assert.match(group, /github\.sha/);
  });

  it('keeps the screenshots of failures', () => {
    const withEditors = Object.values(jobs).filter((one) =>
      scriptsIn([one]).some((script) => /test$|e2e|host/.test(script)),
    );
    assert.ok(withEditors.length > 0);
    for (const job of withEditors)
      assert.ok(
        job.steps.some(
          ({ if: condition, with: inputs }) =>
            condition === 'failure()' && inputs?.['path'] === 'artifacts/screenshots',
        ),
      );
  });
});

describe('Release workflow', () => {
  const { on, jobs } = workflow('release.yml');
  const names = Object.keys(jobs);

  it('runs for tags of versions only', () => {
    assert.deepEqual(on, { push: { tags: ['v*'] } });
  });

  it('checks the tag, runs all tests, and checks the package before another job writes', () => {
    assert.deepEqual(names, ['build', 'attach', 'publish']);
    assert.deepEqual([jobs['attach']?.needs, jobs['publish']?.needs], ['build', 'attach']);
    const { build } = jobs;
    assert.ok(build);
    assert.deepEqual(scriptsIn([build]), ['check:release', 'test', 'package', 'check:package']);
    assert.ok(build.steps.some(({ run = '' }) => run.includes('check:release -- "$GITHUB_REF_NAME"')));
  });

  it('gives the permission to write only to a job without code of the repository', () => {
    const writers = names.filter((name) => Object.values(jobs[name]?.permissions ?? {}).includes('write'));
    assert.deepEqual(writers, ['attach']);
    const { attach } = jobs;
    assert.ok(attach);
    assert.deepEqual(attach.permissions, { contents: 'write', 'id-token': 'write', attestations: 'write' });
    const commands = attach.steps.map(({ run = '' }) => run).join('\n');
    assert.doesNotMatch(commands, /\b(npm|npx|node)\b/);
    assert.ok(attach.steps.every(({ uses = '' }) => !uses.startsWith('actions/checkout')));
  });

  it('publishes only with a secret, which only the step of that marketplace receives', () => {
    const secretsOf = (value: unknown) =>
      [...JSON.stringify(value ?? {}).matchAll(/secrets\.(\w+) \}\}/g)].map(([, name]) => name);
    for (const name of names) {
      assert.deepEqual(secretsOf(jobs[name]?.env), []);
      for (const step of jobs[name]?.steps ?? []) {
        const [secret, ...others] = secretsOf(step);
        if (secret === undefined) continue;
        assert.deepEqual(others, []);
        assert.equal(step.if, `env.HAS_${secret} == 'true'`);
        assert.equal(jobs[name]?.env?.[`HAS_${secret}`], `\${{ secrets.${secret} != '' }}`);
      }
    }
    const publishing = (jobs['publish']?.steps ?? []).filter(({ run = '' }) => run.includes('publish'));
    assert.equal(publishing.length, 2);
    assert.ok(publishing.every((step) => secretsOf(step).length === 1));
  });
});
