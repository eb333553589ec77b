import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { execa } from 'execa';
import { parse } from 'yaml';
import { HOSTED_VARIABLES } from '../../../src/account/connections/model/hostedVariables.ts';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { operations } from '../../../src/contract/operations.ts';
import type { CiSetup } from '../../../src/features/manifest/ci/model/ciSetup.ts';
import { githubWorkflow } from '../../../src/features/manifest/ci/model/githubWorkflow.ts';
import { gitlabPipeline } from '../../../src/features/manifest/ci/model/gitlabPipeline.ts';
import { cleanUp, fixtures, platformForTest, repository, type Api } from '../../platform/support.ts';
import { packageExtension } from '../../support/packageExtension.ts';
import { manifest } from '../cliWorld.ts';
import { errorsOfWorkflow } from './githubSchema.ts';
import { evaluated, parseWorkflowFile, runWorkflow, type Contexts, type RanJob } from './githubRunner.ts';

/* The workflows that the command ci writes, checked and run as the services do. */

const GITLAB = path.join(repository, 'node_modules/gitlab-ci-local/dist/index.js');

const setup: CiSetup = {
  ...{ folder: 'endpoints', branch: 'main', registries: undefined, tests: 'none' },
  ...{ gates: [], secrets: [], variables: [] },
  program: { version: '1.2.3', vsix: 'https://example.com/cloud-compute.vsix', digest: 'a'.repeat(64) },
};

const setups: Readonly<Record<string, CiSetup>> = {
  'of manifests alone': setup,
  'with tests of processes': { ...setup, tests: 'processes', secrets: ['HF_TOKEN'], variables: ['LEVEL'] },
  'with builds and tests of containers': {
    ...setup,
    ...{
      registries: ['registry.example.com:5000'],
      tests: 'containers',
      secrets: ['HF_TOKEN', 'not-a-name', 'GITHUB_X'],
    },
  },
  'with gates': {
    ...setup,
    tests: 'processes',
    gates: [{ path: 'hello.endpoint.yaml' }, { path: "a/it's $x.endpoint.json" }],
  },
  'with one gate, whose name has special characters': {
    ...setup,
    gates: [{ path: 'a: b #c ${{ github.token }}.endpoint.yaml', endpoint: "it's" }],
  },
  'with the registry of GitHub': { ...setup, registries: ['ghcr.io'], tests: 'processes' },
  'with the registry of GitLab': { ...setup, registries: ['registry.gitlab.com'] },
  'of a folder and a branch with special characters': { ...setup, folder: `a "b' $c: #d`, branch: 'release/"1' },
};

describe('A workflow', () => {
  let folder = '';

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-gitlab-'));
    await execa('git', ['init', '--quiet'], { cwd: folder });
    await execa('git', ['remote', 'add', 'origin', 'git@gitlab.example.com:team/project.git'], { cwd: folder });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const [name, one] of Object.entries(setups)) {
    it(`for GitHub ${name} matches GitHub's schema`, async () => {
      const text = githubWorkflow(one);
      assert.deepEqual(await errorsOfWorkflow(text), []);
      assert.equal(parseWorkflowFile(text).env['CLOUD_COMPUTE_FOLDER'], one.folder);
    });

    it(`for GitLab ${name} matches GitLab's schema`, async () => {
      await writeFile(path.join(folder, '.gitlab-ci.yml'), gitlabPipeline(one));
      const jobs = async (variables: Readonly<Record<string, string>>): Promise<readonly string[]> => {
        const given = Object.entries(variables).flatMap(([key, value]) => ['--variable', `${key}=${value}`]);
        const ignored = ['--ignore-predefined-vars', Object.keys(variables).join(',')];
        const args = [GITLAB, '--list-csv', '--home', folder, ...ignored, ...given];
        const { stdout } = await execa(process.execPath, args, { cwd: folder });
        return stdout
          .split('\n')
          .slice(1)
          .map((line) => line.split(';')[0] ?? '');
      };
      const main = { CI_DEFAULT_BRANCH: 'main', CI_PIPELINE_SOURCE: 'push' };
      assert.deepEqual(await jobs({ ...main, CI_COMMIT_BRANCH: 'main' }), ['cloud-compute-deploy']);
      assert.deepEqual(await jobs({ ...main, CI_COMMIT_BRANCH: 'other' }), []);
      assert.deepEqual(await jobs({ CI_PIPELINE_SOURCE: 'merge_request_event', CI_COMMIT_BRANCH: '' }), [
        'cloud-compute-check',
      ]);
    });
  }

  it('runs the gates of a pull request against its base, without the key, and requires them for a deployment', () => {
    const gated = { ...setup, gates: [{ path: "a/it's.endpoint.yaml" }] };
    const file = `"$CLOUD_COMPUTE_FOLDER"/'a/it'\\''s.endpoint.yaml'`;
    const { jobs } = parseWorkflowFile(githubWorkflow(gated));
    const steps = jobs['check']?.steps ?? [];
    const step = steps.find(({ name }) => name === 'Run the gates');
    assert.ok(step?.run?.includes(`cloud-compute gate ${file} --base "origin/$GITHUB_BASE_REF"`), step?.run);
    assert.equal(step?.env, undefined);
    assert.match(githubWorkflow(gated), /--rollback-on-failure --gate\n/);
    assert.equal(githubWorkflow(gated).match(/fetch-depth: 0/g)?.length, 2);
    const pipeline = gitlabPipeline(gated);
    assert.ok(pipeline.includes(`cloud-compute gate ${file} --base "$(git rev-parse FETCH_HEAD)"`), pipeline);
    assert.ok(pipeline.indexOf('unset CLOUD_COMPUTE_API_KEY') < pipeline.indexOf('cloud-compute gate'));
    assert.match(pipeline, /GIT_DEPTH: 0/);
    for (const text of [githubWorkflow(setup), gitlabPipeline(setup)])
      assert.doesNotMatch(text, /gate|fetch-depth|GIT_DEPTH/);
  });

  it('for GitHub gives the key only to the steps that need it, and never to a fork or to workers', () => {
    const { on, permissions, concurrency, jobs, env } = parseWorkflowFile(
      githubWorkflow({ ...setup, registries: ['ghcr.io'], tests: 'processes', secrets: ['HF_TOKEN'] }),
    );
    assert.deepEqual(Object.keys(on), ['pull_request', 'push']);
    assert.deepEqual(permissions, { contents: 'read' });
    assert.deepEqual(jobs['check']?.permissions, undefined);
    assert.deepEqual(jobs['deploy']?.permissions, { contents: 'read', packages: 'write' });
    assert.equal(jobs['deploy'].environment, 'production');
    assert.doesNotMatch(JSON.stringify(env), /secrets\./);
    const withKey = Object.values(jobs).flatMap(({ steps }) =>
      steps.filter((step) => step.env?.[HOSTED_VARIABLES.apiKey] !== undefined).map(({ name }) => name),
    );
    const deploying = ['Require the variable and the secrets', 'Plan', 'Deploy, verify, and roll back on failure'];
    assert.deepEqual(withKey, ['Plan', ...deploying]);
    for (const { 'timeout-minutes': minutes } of Object.values(jobs)) assert.ok(minutes !== undefined && minutes <= 60);
    const groupOf = (event: string, ref: string) =>
      evaluated(concurrency.group.replace(/^.*\$\{\{ | \}\}$/g, ''), {
        github: { event_name: event, ref },
      }).coerceString();
    assert.equal(groupOf('push', 'refs/heads/main'), 'deploy');
    assert.equal(groupOf('pull_request', 'refs/pull/1/merge'), 'refs/pull/1/merge');
  });

  it('for GitHub uses the actions of this repository', async () => {
    const own = await readFile(path.join(repository, '.github/workflows/ci.yml'), 'utf8');
    const used = [...githubWorkflow(setup).matchAll(/uses: .*/g)].map(([line]) => line);
    assert.ok(used.length > 0);
    for (const line of used) assert.ok(own.includes(`${line}\n`), line);
  });
});

describe('The steps of a workflow', function () {
  let api: Api;
  let base = '';
  let origin = '';
  let vsix = '';
  let environment: NodeJS.ProcessEnv = {};
  let clones = 0;

  before(async function () {
    if (process.platform !== 'linux') return this.skip();
    base = await mkdtemp(path.join(tmpdir(), 'cloud-compute-ci-'));
    const [bin, program, build] = ['bin', 'program', 'build'].map((name) => path.join(base, name)) as [
      string,
      string,
      string,
    ];
    await Promise.all([bin, program, build].map((name) => mkdir(name)));
    await symlink(process.execPath, path.join(bin, 'node'));
    environment = {
      ...{ PATH: [bin, '/usr/bin', '/bin'].join(path.delimiter), HOME: base, TMPDIR: base },
      ...{ GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example.com' },
      ...{ GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example.com' },
    };
    ({ vsix } = await packageExtension(build));
    await execa('unzip', ['-q', vsix, '-d', program]);
    origin = path.join(base, 'origin');
    await mkdir(path.join(origin, 'endpoints'), { recursive: true });
    await git('init', '--quiet', '--initial-branch', 'main');
    await commitManifest({});
    await writeFile(
      path.join(origin, 'endpoints/echo.job.json'),
      JSON.stringify({ endpoint: 'echo', input: { do: 'echo', value: 1 }, expect: { output: 1 } }),
    );
    for (const service of ['github', 'gitlab']) {
      const { stderr } = await execa(
        process.execPath,
        [path.join(program, 'extension/dist/cli.js'), 'ci', service, 'endpoints'],
        { cwd: origin },
      );
      assert.match(
        stderr,
        /^Set the secrets CLOUD_COMPUTE_API_KEY, TOKEN and the variables CLOUD_COMPUTE_BASE_URL in the settings/,
      );
    }
    await git('add', '--all');
    await git('commit', '--quiet', '--message', 'Add workflows');
  });

  beforeEach(async () => {
    ({ api } = await platformForTest());
    await commitManifest({});
  });
  afterEach(cleanUp);
  after(() => rm(base, { recursive: true, force: true, maxRetries: 3 }));

  const git = (...args: string[]) => execa('git', args, { cwd: origin, env: environment });

  /** Commits the manifest with changes. */
  async function commitManifest(changes: object): Promise<void> {
    const body = manifest('echo', { workers: { min: 1, max: 1 }, env: { TOKEN: '${secret:TOKEN}' } });
    const local = { directory: fixtures, command: [process.execPath, 'worker.mjs'] };
    const text = JSON.stringify({ ...body, 'x-local': local, ...changes });
    await writeFile(path.join(origin, 'endpoints/echo.endpoint.json'), text);
    await git('add', '--all');
    await git('commit', '--quiet', '--allow-empty', '--message', 'Change');
  }

  async function clone(): Promise<string> {
    const folder = path.join(base, `clone${++clones}`);
    await git('clone', '--quiet', origin, folder);
    return folder;
  }

  const endpoint = async (): Promise<Endpoint | undefined> =>
    (await api.call(operations.listEndpoints)).endpoints.find(({ name }) => name === 'echo');

  const values = () => ({
    CLOUD_COMPUTE_BASE_URL: api.addresses.baseUrl,
    CLOUD_COMPUTE_QUEUE_URL: api.addresses.queueUrl,
    CLOUD_COMPUTE_ENDPOINT_HOST: api.addresses.endpointHost,
  });
  const secrets = () => ({ CLOUD_COMPUTE_API_KEY: api.addresses.apiKey, TOKEN: 'a-secret-token' });

  describe('of GitHub', () => {
    /** Runs a workflow with the VSIX file on this machine. */
    async function run(github: Readonly<Record<string, string>>, given: Partial<Contexts> = {}): Promise<RanJob> {
      const folder = await clone();
      const text = await readFile(path.join(folder, '.github/workflows/cloud-compute.yml'), 'utf8');
      const workflow = parseWorkflowFile(text);
      const onMachine = { ...workflow, env: { ...workflow.env, CLOUD_COMPUTE_VSIX: `file://${vsix}` } };
      const contexts = { github, vars: values(), secrets: secrets(), ...given };
      return runWorkflow(onMachine, contexts, { clone: folder, folder: `${folder}-runner`, environment });
    }
    const push = { event_name: 'push', ref: 'refs/heads/main', actor: 'ada', token: 't' };
    const pullRequest = { ...push, event_name: 'pull_request', ref: 'refs/pull/1/merge' };
    const shown = ({ steps }: RanJob) => steps.map(({ name, code }) => [name, code]);

    it('check a pull request, with the plan in its summary', async () => {
      const ran = await run(pullRequest);
      assert.deepEqual(
        shown(ran),
        ['Install Cloud Compute', 'Check the manifests', 'Plan', 'Test the workers'].map((name) => [name, 0]),
        JSON.stringify(ran.steps),
      );
      assert.match(
        ran.summary,
        /^### Plan for `127\.0\.0\.1:\d+`\n\n\*\*1 to create\.\*\*\n\n\| Endpoint \| Deployment \|/,
      );
      assert.match(ran.summary, /\n\| `echo` \| create \|  \| `\$0\.\d+` \|\n/);
      assert.match(ran.summary, /: `\+\$0\.\d+` per hour, at most `\+\$\d+\.\d\d` per month\.\n$/);
      assert.equal(await endpoint(), undefined);
    });

    it('check the manifests alone for a fork, which has no secrets', async () => {
      const ran = await run(pullRequest, { secrets: { CLOUD_COMPUTE_API_KEY: '', TOKEN: '' } });
      assert.deepEqual(
        shown(ran),
        ['Install Cloud Compute', 'Check the manifests', 'Test the workers'].map((name) => [name, 0]),
        JSON.stringify(ran.steps),
      );
      assert.equal(ran.summary, '');
    });

    it('end with the place of an error in a manifest', async () => {
      await commitManifest({ type: 'NONE' });
      const ran = await run(pullRequest);
      assert.deepEqual(ran.steps.at(-1)?.code, 1);
      assert.match(ran.steps.at(-1)?.output ?? '', /^echo\.endpoint\.json:1:\d+: type: /);
    });

    it('deploy and verify the default branch, and roll back and fail if no worker can run', async () => {
      const first = await run(push);
      assert.deepEqual(
        first.steps.map(({ code }) => code),
        [0, 0, 0, 0],
        JSON.stringify(first.steps),
      );
      assert.match(first.steps.at(-1)?.output ?? '', /echo.*works|created/s);
      const before = await endpoint();
      assert.ok(before);
      await commitManifest({ cmd: [process.execPath, 'missing.mjs'], timeout: 90_000 });
      const second = await run(push);
      assert.deepEqual(shown(second).at(-1), ['Deploy, verify, and roll back on failure', 1]);
      assert.match(
        second.summary,
        /\n\| `echo` \| update and replace the workers \| `cmd: .*`<br>`timeout: 300000 → 90000` \|/,
      );
      assert.match(second.steps.at(-1)?.output ?? '', /“echo” has its earlier settings again/);
      const after = await endpoint();
      assert.deepEqual([after?.cmd, after?.timeout], [before.cmd, before.timeout]);
      for (const { output } of [...first.steps, ...second.steps]) assert.doesNotMatch(output, /a-secret-token/);
    });

    it('deploy nothing without a secret that a manifest refers to', async () => {
      const { steps } = await run(push, { secrets: { ...secrets(), TOKEN: '' } });
      assert.notEqual(steps.at(-1)?.code, 0);
      assert.match(steps.at(-1)?.output ?? '', /TOKEN: is not set/);
      assert.equal(await endpoint(), undefined);
    });

    it('run no other program than the one that wrote the workflow', async () => {
      const changed = path.join(base, 'changed');
      await cp(path.join(base, 'program'), changed, { recursive: true });
      await writeFile(path.join(changed, 'extension/dist/cli.js'), 'console.log("other")');
      const other = `${changed}.vsix`;
      await execa('python3', ['-m', 'zipfile', '-c', other, 'extension'], { cwd: changed });
      const good = vsix;
      vsix = other;
      try {
        const { steps } = await run(pullRequest);
        assert.deepEqual(
          steps.map(({ code }) => code),
          [1],
        );
        assert.match(steps[0]?.output ?? '', /do not have the digest/);
      } finally {
        vsix = good;
      }
    });
  });

  describe('of GitLab', () => {
    interface Part {
      readonly variables?: Readonly<Record<string, string>>;
      readonly before_script?: readonly string[];
      readonly script?: readonly string[];
    }

    /** Runs a job in one shell, as a runner does. */
    async function run(name: string, variables: NodeJS.ProcessEnv) {
      const folder = await clone();
      const pipeline = parse(await readFile(path.join(folder, '.gitlab-ci.yml'), 'utf8')) as Record<string, Part>;
      const [shared, job] = [pipeline['.cloud-compute'], pipeline[name]];
      const script = [...(shared?.before_script ?? []), ...(job?.script ?? [])].join('\n');
      const child = spawn('sh', ['-e', '-c', script], {
        cwd: folder,
        env: {
          ...environment,
          CI_PROJECT_DIR: folder,
          ...shared?.variables,
          ...variables,
          CLOUD_COMPUTE_VSIX: `file://${vsix}`,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
      const artifact = (file: string) =>
        execa('cat', [path.join(folder, file)], { stripFinalNewline: false }).then(
          ({ stdout }) => stdout,
          () => '',
        );
      return {
        code,
        output,
        plan: await artifact('cloud-compute-plan.md'),
        tests: await artifact('cloud-compute-tests.xml'),
      };
    }

    it('check a merge request, with the plan and the tests as artifacts', async () => {
      const { code, output, plan, tests } = await run('cloud-compute-check', { ...values(), ...secrets() });
      assert.equal(code, 0, output);
      assert.match(plan, /\n\| `echo` \| create \|/);
      assert.match(output, /\+ create {5}echo/);
      assert.match(tests, /<testsuites name="cloud-compute" tests="1" failures="0"/);
    });

    it('check the manifests alone without a key', async () => {
      const { code, output, plan, tests } = await run('cloud-compute-check', { TOKEN: '' });
      assert.equal(code, 0, output);
      assert.deepEqual([plan, tests === ''], ['', false]);
    });

    it('deploy and verify the default branch, and roll back and fail if no worker can run', async () => {
      const first = await run('cloud-compute-deploy', { ...values(), ...secrets() });
      assert.equal(first.code, 0, first.output);
      const before = await endpoint();
      await commitManifest({ cmd: [process.execPath, 'missing.mjs'] });
      const second = await run('cloud-compute-deploy', { ...values(), ...secrets() });
      assert.equal(second.code, 1, second.output);
      assert.deepEqual((await endpoint())?.cmd, before?.cmd);
    });
  });
});
