import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { JobWorld } from './jobWorld.ts';
import { nextEvent, workspaceFolder } from './support.ts';

const { executeCommand } = vscode.commands;

/** Runs tasks of the editor. The timeout allows for a slow start of processes. */
describe('Tasks', () => {
  const world = new JobWorld();

  before(() => world.start());
  after(async () => {
    await executeCommand('workbench.action.terminal.killAll');
    await world.stop();
  });
  beforeEach(() => world.reset());

  /** Returns a task like the editor makes it from an entry of `tasks.json`. */
  async function task(definition: Readonly<Record<string, string>>): Promise<vscode.Task> {
    const all = await vscode.tasks.fetchTasks({ type: 'cloudCompute' });
    const found = all.find((one) =>
      Object.entries(definition).every(([name, value]) => one.definition[name] === value),
    );
    assert.ok(found, `no task ${JSON.stringify(definition)} among ${all.map(({ name }) => name).join(', ')}`);
    return found;
  }

  /** Runs a task to its end. Returns its exit code. */
  async function run(one: vscode.Task): Promise<number | undefined> {
    const ended = nextEvent(
      vscode.tasks.onDidEndTaskProcess,
      ({ execution }) => execution.task.name === one.name,
      45_000,
    );
    await vscode.tasks.executeTask(one);
    return (await ended).exitCode;
  }

  async function jobFile(name: string, content: object): Promise<string> {
    const uri = vscode.Uri.joinPath(workspaceFolder(), name);
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(JSON.stringify(content)));
    return name;
  }

  it('are offered for the local platform and for each job file', async () => {
    const file = await jobFile('offered.job.json', { input: { a: 1 } });
    const [start, job] = await Promise.all([task({ task: 'start platform' }), task({ task: 'run job', file })]);
    assert.equal(start.source, 'Cloud Compute');
    assert.equal(start.name, 'start platform');
    assert.equal(job.name, 'run job offered.job.json');
    assert.deepEqual(job.problemMatchers, []);
  });

  it('start the local platform, and end with 0 once it accepts requests', async () => {
    assert.equal(await run(await task({ task: 'start platform' })), 0);
    assert.ok(await world.client.listEndpoints({}));
  });

  it('run a job file, and end with 0 if the job completes', async () => {
    const endpointId = await world.endpoint('tasks-complete');
    const file = await jobFile('task-complete.job.json', {
      endpoint: 'tasks-complete',
      input: { do: 'echo', value: 1 },
    });
    assert.equal(await run(await task({ task: 'run job', file })), 0);
    assert.equal((await world.client.getEndpointHealth({ endpointId })).jobs.completed, 1);
    assert.deepEqual(world.messages, []);
  });

  it('end with 1 if the job fails', async () => {
    const endpointId = await world.endpoint('tasks-fail');
    const file = await jobFile('task-fail.job.json', { endpoint: 'tasks-fail', input: { do: 'raise' } });
    assert.equal(await run(await task({ task: 'run job', file })), 1);
    assert.equal((await world.client.getEndpointHealth({ endpointId })).jobs.failed, 1);
  });

  it('end with 1 and one message if the endpoint does not exist', async () => {
    const file = await jobFile('task-missing.job.json', { endpoint: 'no-such-endpoint', input: {} });
    assert.equal(await run(await task({ task: 'run job', file })), 1);
    assert.deepEqual(world.messages, [
      'Could not run the job: there is no endpoint “no-such-endpoint” on “Local Platform”',
    ]);
  });

  it('send no job while another connection than the required one is the current one', async () => {
    const endpointId = await world.endpoint('tasks-other');
    const file = await jobFile('task-other.job.json', { endpoint: 'tasks-other', input: {} });
    const one = await task({ task: 'run job', file });
    const other = new vscode.Task(
      { ...one.definition, connection: 'Production' },
      one.scope ?? vscode.TaskScope.Workspace,
      'other',
      'test',
      one.execution,
      [],
    );
    assert.equal(await run(other), 1);
    const pattern = /the task requires the connection “Production”, and the current one is “Local Platform”/;
    assert.match(world.messages.join(), pattern);
    const { jobs } = await world.client.getEndpointHealth({ endpointId });
    assert.equal(jobs.completed + jobs.inProgress + jobs.inQueue, 0);
  });

  it('cancel the job when they are terminated', async () => {
    // Without a worker, the job waits until it is canceled.
    const endpointId = await world.endpoint('tasks-cancel', { workers: { min: 0, max: 0 } });
    const file = await jobFile('task-cancel.job.json', { endpoint: 'tasks-cancel', input: {} });
    const execution = await vscode.tasks.executeTask(await task({ task: 'run job', file }));
    const health = () => world.client.getEndpointHealth({ endpointId });
    while ((await health()).jobs.inQueue === 0) await nextTick();
    execution.terminate();
    while ((await health()).jobs.inQueue > 0) await nextTick();
    const { jobs } = await health();
    assert.equal(jobs.completed + jobs.failed, 0);
  });
});

/** Lets the platform answer other requests in between. */
function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
