import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'jsonc-parser';
import { cleanUp, repository } from '../platform/support.ts';
import { blocksOf } from '../samples/commandBlocks.ts';
import { CliWorld, manifest } from './cliWorld.ts';

/* The tasks that docs/tasks-and-links.md shows. */

interface Task {
  readonly label: string;
  readonly type: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly problemMatcher: { readonly background: { readonly endsPattern: string } };
}

const PROGRAM = '${extensionInstallFolder:cloud-compute.cloud-compute}/dist/cli.js';

describe('The tasks of the documents', () => {
  let world: CliWorld;
  let tasks: ReadonlyMap<string, Task>;

  before(async () => {
    world = await CliWorld.create();
    world.env['CLOUD_COMPUTE_DATA_DIR'] = path.join(path.dirname(world.folder), 'data');
    const document = await readFile(path.join(repository, 'docs/tasks-and-links.md'), 'utf8');
    const [block] = blocksOf(document).filter(({ language }) => language === 'jsonc');
    const file = parse(block?.text ?? '') as { readonly tasks: readonly Task[] };
    tasks = new Map(file.tasks.map((task) => [task.label, task]));
    await world.write({
      'hello.endpoint.json': manifest('hello', { workers: { min: 0, max: 1 } }),
      'hello.job.json': { endpoint: 'hello', input: { do: 'echo', value: 1 }, expect: { output: 1 } },
    });
  });
  after(cleanUp);

  /** Returns the arguments of the program in a task. */
  function argumentsOf(label: string): readonly string[] {
    const { type, command, args } = tasks.get(label) ?? assert.fail(`${label} is missing`);
    const [program, ...others] = args;
    assert.deepEqual([type, command, program], ['shell', 'node', PROGRAM]);
    return others.map((text) => text.replace('${workspaceFolder}', world.folder));
  }

  it('start the platform until it is ready, run a job file, and run tests', async () => {
    const { endsPattern } = tasks.get('local platform')?.problemMatcher.background ?? assert.fail();
    const platform = world.start([...argumentsOf('local platform'), '--port', '0']);
    await platform.printed('data ');
    const again = await world.run(argumentsOf('local platform'));
    assert.equal(again.code, 0, again.stderr);
    assert.match(again.stdout, new RegExp(endsPattern, 'm'));
    const deployed = await world.run(['deploy', world.folder, '--connection', 'local', '--yes']);
    assert.equal(deployed.code, 0, deployed.stderr);
    const job = await world.run(argumentsOf('hello job'));
    assert.deepEqual([job.code, JSON.parse(job.stdout)], [0, 1], job.stderr);
    const tests = await world.run(argumentsOf('test workers'));
    assert.equal(tests.code, 0, tests.stdout + tests.stderr);
    platform.child.kill('SIGTERM');
    const { stdout } = await platform.exit;
    assert.match(stdout, new RegExp(endsPattern, 'm'));
  });
});
