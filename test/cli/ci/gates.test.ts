import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { execa } from 'execa';
import { parse } from 'yaml';
import { operations } from '../../../src/contract/operations.ts';
import { cleanUp, platformForTest, repository, type Api } from '../../platform/support.ts';
import { errorsOfWorkflow } from './githubSchema.ts';
import { parseWorkflowFile, runWorkflow, type Job, type RanJob } from './githubRunner.ts';

/* The steps of a workflow that compare two versions of a sample: its gate, and its bill. */

const SAMPLE = path.join(repository, 'samples/hello-queue');
const SECRET = 'correct-horse-battery';

describe('The steps of a workflow that compare versions', function () {
  let api: Api;
  let base = '';
  let origin = '';
  let environment: NodeJS.ProcessEnv = {};
  let billStep: Job['steps'][number];
  let checkouts = 0;

  before(async function () {
    if (process.platform !== 'linux') return this.skip();
    base = await mkdtemp(path.join(tmpdir(), 'cloud-compute-ci-gates-'));
    const [bin, program] = [path.join(base, 'bin'), path.join(base, 'program')];
    origin = path.join(base, 'origin');
    await mkdir(bin);
    await symlink(process.execPath, path.join(bin, 'node'));
    environment = {
      ...{ PATH: [bin, '/usr/bin', '/bin'].join(path.delimiter), HOME: base, TMPDIR: base },
      ...{ GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example.com' },
      ...{ GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example.com' },
      GITHUB_BASE_REF: 'main',
    };
    // The development build stands for that of a release.
    const extension = path.join(program, 'extension');
    await cp(path.join(repository, 'dist'), path.join(extension, 'dist'), {
      recursive: true,
      filter: (file) => !file.endsWith('.map'),
    });
    await cp(path.join(repository, 'package.json'), path.join(extension, 'package.json'));
    await execa('python3', ['-m', 'zipfile', '-c', path.join(base, 'program.vsix'), 'extension'], { cwd: program });

    await cp(SAMPLE, path.join(origin, 'endpoints'), { recursive: true });
    // Another test runs the tests of a worker.
    await rm(path.join(origin, 'endpoints/tests'), { recursive: true });
    await git('init', '--quiet', '--initial-branch', 'main');
    const image = `process:${path.join(origin, 'endpoints/hello')}`;
    await change('endpoints/hello.endpoint.yaml', (text) =>
      text
        .replace(/^image: .*$/m, `image: ${image}\ncmd: [node, handler.mjs]`)
        .replace("LOAD_SECONDS: '2'", "TOKEN: '${secret:TOKEN}'")
        .concat('\nx-gate:\n  require: true\n'),
    );
    await mkdir(path.join(origin, 'endpoints/hello.recordings'));
    for (const [index, name] of [{ $secret: 'TOKEN' }, 'a long name'].entries())
      await writeFile(
        path.join(origin, `endpoints/hello.recordings/job${index}.recording.json`),
        JSON.stringify({
          ...{ version: 1, endpoint: 'hello', submittedAt: '2026-01-01T00:00:00.000Z' },
          ...{ request: { input: { name, seconds: 0 } }, result: { status: 'COMPLETED' } },
          worker: { image: 'process:hello', environment: [], volumes: [] },
        }),
      );
    const arrivals = Array.from({ length: 20 }, (_, index) => `${index * 9_000}\n`);
    await writeFile(path.join(origin, 'endpoints/load.csv'), arrivals.join(''));
    await commit('main');
    for (const service of ['github', 'gitlab'])
      await execa(process.execPath, [path.join(extension, 'dist/cli.js'), 'ci', service, 'endpoints'], { cwd: origin });
    await commit('main');
    await branch('good', 'endpoints/hello/handler.mjs', (text) => `${text}// the same\n`);
    await branch('worse', 'endpoints/hello/handler.mjs', (text) =>
      text.replace('return { greeting:', "return { greeting: name === 'a long name' ? 'Hello!' :"),
    );
    await branch('costly', 'endpoints/hello.endpoint.yaml', (text) => text.replace('min: 1', 'min: 2'));
    const docs = await readFile(path.join(repository, 'docs/ci.md'), 'utf8');
    const [, block = ''] = /```yaml\n(- name: Compare the bills\n[\s\S]*?)```/.exec(docs) ?? [];
    [billStep = assert.fail('the page has no step')] = parse(block) as Job['steps'];
  });

  beforeEach(async () => {
    ({ api } = await platformForTest());
  });
  afterEach(cleanUp);
  after(() => rm(base, { recursive: true, force: true, maxRetries: 3 }));

  const git = (...args: readonly string[]) => execa('git', args, { cwd: origin, env: environment });

  async function change(name: string, edit: (text: string) => string): Promise<void> {
    const file = path.join(origin, name);
    const text = await readFile(file, 'utf8');
    const edited = edit(text);
    assert.notEqual(edited, text);
    await writeFile(file, edited);
  }

  async function commit(name: string): Promise<void> {
    await git('add', '--all');
    await git('commit', '--quiet', '--message', name);
  }

  /** Creates a branch with one change. `refs/pull/NAME/merge` is its merge with the base, as in a pull request. */
  async function branch(name: string, file: string, edit: (text: string) => string): Promise<void> {
    await git('checkout', '--quiet', '-b', name);
    await change(file, edit);
    await commit(name);
    await git('checkout', '--quiet', '--detach', 'main');
    await git('merge', '--quiet', '--no-ff', '--no-edit', name);
    await git('update-ref', `refs/pull/${name}/merge`, 'HEAD');
    await git('checkout', '--quiet', 'main');
  }

  /** Checks out a commit as the action does: the whole history, or this commit alone. No later step can fetch from a private repository. */
  async function checkOut({ steps }: Job, ref: string): Promise<string> {
    const folder = path.join(base, `checkout${++checkouts}`);
    const inFolder = (...args: readonly string[]) => execa('git', args, { cwd: folder, env: environment });
    const action = steps.find(({ uses }) => uses?.startsWith('actions/checkout@'));
    assert.equal(action?.with?.['persist-credentials'], false);
    await execa('git', ['init', '--quiet', folder], { env: environment });
    await inFolder('remote', 'add', 'origin', `file://${origin}`);
    const depth = Number(action.with['fetch-depth'] ?? 1);
    const whole = depth === 0 ? ['+refs/heads/*:refs/remotes/origin/*'] : [`--depth=${depth}`];
    await inFolder('fetch', '--quiet', 'origin', ...whole, `+${ref}:refs/remotes/checkout`);
    await inFolder('checkout', '--quiet', '--detach', 'refs/remotes/checkout');
    await inFolder('remote', 'set-url', 'origin', 'file:///nowhere');
    return folder;
  }

  async function run(event: 'pull_request' | 'push', ref: string): Promise<RanJob> {
    const text = await readFile(path.join(origin, '.github/workflows/cloud-compute.yml'), 'utf8');
    assert.deepEqual(await errorsOfWorkflow(text), []);
    const workflow = parseWorkflowFile(text);
    const { check, deploy } = workflow.jobs;
    assert.ok(check && deploy);
    const onMachine = {
      ...workflow,
      env: { ...workflow.env, CLOUD_COMPUTE_VSIX: `file://${base}/program.vsix` },
      jobs: { check: { ...check, steps: [...check.steps, billStep] }, deploy },
    };
    const { baseUrl, queueUrl, endpointHost, apiKey } = api.addresses;
    const contexts = {
      github: { event_name: event, ref, actor: 'ada', token: 't' },
      vars: {
        ...{ CLOUD_COMPUTE_BASE_URL: baseUrl, CLOUD_COMPUTE_QUEUE_URL: queueUrl },
        CLOUD_COMPUTE_ENDPOINT_HOST: endpointHost,
      },
      secrets: { CLOUD_COMPUTE_API_KEY: apiKey, TOKEN: SECRET },
    };
    const folder = await checkOut(event === 'push' ? deploy : check, ref);
    const ran = await runWorkflow(onMachine, contexts, { clone: folder, folder: `${folder}-runner`, environment });
    assert.doesNotMatch(JSON.stringify(ran), new RegExp(SECRET));
    const { stdout: worktrees } = await execa('git', ['worktree', 'list'], { cwd: folder });
    assert.equal(worktrees.split('\n').length, 1);
    return ran;
  }

  const lastOf = ({ steps }: RanJob) => {
    const { name, code } = steps.at(-1) ?? assert.fail('no step has run');
    return [name, code];
  };

  it('pass a pull request without an effect, with both reports in the summary', async () => {
    const ran = await run('pull_request', 'refs/pull/good/merge');
    assert.deepEqual(
      ran.steps.map(({ name, code }) => [name, code]),
      ['Install Cloud Compute', 'Check the manifests', 'Plan', 'Run the gates', 'Compare the bills'].map((name) => [
        name,
        0,
      ]),
      JSON.stringify(ran.steps),
    );
    assert.match(
      ran.summary,
      /\n# Gate of “hello”\n\nThe gate passed with 2 jobs\.\n\n## Measurements\n\n\|  \| [\da-f]+ \| working tree \|/,
    );
    assert.match(ran.summary, /\n\| `job0` \| same \|/);
    assert.match(ran.summary, /\n### Bill of `hello`\n\n\*\*`±\$0 a month at this load/);
  });

  it('fail a pull request with other outputs, with the difference in the summary', async () => {
    const ran = await run('pull_request', 'refs/pull/worse/merge');
    assert.deepEqual(lastOf(ran), ['Run the gates', 1], JSON.stringify(ran.steps));
    const summary = ran.summary.replaceAll('\\', '');
    assert.match(summary, /\nThe gate failed: 1 job has another result\.\n/);
    assert.match(summary, /\n### `job1`\n\n- \$\.output\.greeting: "Hello!" instead of "Hello, a long name!", /);
  });

  it('fail a pull request whose bill grows by more than the maximum', async () => {
    const ran = await run('pull_request', 'refs/pull/costly/merge');
    assert.deepEqual(lastOf(ran), ['Compare the bills', 1], JSON.stringify(ran.steps));
    assert.match(ran.summary, /\n### Bill of `hello`\n\n\*\*`\+\$[\d.]+ a month at this load/);
    assert.match(ran.summary, /workers\.min/);
  });

  it('deploy a version whose gate passes, and no other one', async () => {
    const names = async () => (await api.call(operations.listEndpoints)).endpoints.map(({ name }) => name);
    const refused = await run('push', 'refs/heads/worse');
    assert.deepEqual(lastOf(refused), ['Deploy, verify, and roll back on failure', 1], JSON.stringify(refused.steps));
    assert.match(refused.steps.at(-1)?.output ?? '', /The gate failed: 1 job has another result/);
    assert.deepEqual(await names(), []);
    const deployed = await run('push', 'refs/heads/good');
    assert.deepEqual(lastOf(deployed), ['Deploy, verify, and roll back on failure', 0], JSON.stringify(deployed.steps));
    assert.deepEqual(await names(), ['hello']);
  });

  it('of GitLab fail for other outputs, too', async () => {
    interface Part {
      readonly variables?: Readonly<Record<string, string>>;
      readonly before_script?: readonly string[];
      readonly script?: readonly string[];
    }
    const pipeline = parse(await readFile(path.join(origin, '.gitlab-ci.yml'), 'utf8')) as Record<string, Part>;
    const [shared, job] = [pipeline['.cloud-compute'], pipeline['cloud-compute-check']];
    const script = [...(shared?.before_script ?? []), ...(job?.script ?? [])].join('\n');
    const folder = path.join(base, 'gitlab');
    await execa('git', ['clone', '--quiet', '--branch', 'worse', `file://${origin}`, folder], { env: environment });
    const worse = await execa('sh', ['-e', '-c', script], {
      cwd: folder,
      env: {
        ...{ ...environment, ...shared?.variables, CI_PROJECT_DIR: folder, TOKEN: SECRET },
        ...{ CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main', CLOUD_COMPUTE_VSIX: `file://${base}/program.vsix` },
      },
      ...{ extendEnv: false, reject: false, all: true },
    });
    assert.equal(worse.exitCode, 1, worse.all);
    assert.match(worse.all, /job1:\n +\$\.output\.greeting: "Hello!" instead of "Hello, a long name!"/);
  });
});
