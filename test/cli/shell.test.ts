import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import process from 'node:process';
import { platformWithWorker } from '../platform/echoShells.ts';
import { afterwards, cleanUp, eventually, platformForTest } from '../platform/support.ts';
import { CLI_PROGRAM } from '../support/programs.ts';
import { CliWorld } from './cliWorld.ts';

/** Program of util-linux that runs a command with a terminal. */
const hasScript = spawnSync('script', ['--version']).status === 0;
/** In the output of `stty`: the terminal edits lines. */
const NORMAL_MODE = / icanon/;

describe('The command shell', () => {
  let world: CliWorld;

  beforeEach(async () => {
    world = await CliWorld.create();
  });

  afterEach(cleanUp);

  /** Runs the command in a terminal of 97 columns and 33 rows. `closed` resolves with the output, and the mode of the terminal after it. */
  function inTerminal(workerId: string) {
    const command = `stty cols 97 rows 33; ${process.execPath} ${CLI_PROGRAM} shell ${workerId}; echo "code $?"; stty -a`;
    const child = spawn('script', ['-qec', command, '/dev/null'], { env: world.env });
    afterwards(() => Promise.resolve(child.kill('SIGKILL')));
    let shown = '';
    child.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
    return { child, closed: new Promise<string>((resolve) => child.once('close', () => resolve(shown))) };
  }

  it('connects its standard streams with a shell in a worker, and exits with its code', async () => {
    const { api, workerId, shells } = await platformWithWorker();
    world.useHosted(api.addresses);
    const program = world.start(['shell', workerId], 'echo 作业\n');
    await program.printed('echo 作业\n\u0004');
    shells[0]?.end(7);
    const { code, stderr } = await program.exit;
    assert.equal(code, 7);
    assert.equal(stderr, '');
  });

  it('takes an endpoint in place of its only worker', async () => {
    const { api, endpoint, shells } = await platformWithWorker();
    world.useHosted(api.addresses);
    const program = world.start(['shell', endpoint.name], 'a');
    await program.printed('a\u0004\u0004');
    shells[0]?.end(0);
    assert.equal((await program.exit).code, 0);
  });

  it('gives a shell the size of the terminal, and Ctrl+C', async function () {
    if (!hasScript) this.skip();
    const { api, workerId, shells } = await platformWithWorker();
    world.useHosted(api.addresses);
    const { child, closed } = inTerminal(workerId);
    const shell = await eventually('the shell runs', () => shells[0]);
    assert.deepEqual(shell.request.terminal, { columns: 97, rows: 33 });
    let typed = '';
    shell.stdin.on('data', (chunk: Buffer) => (typed += chunk.toString()));
    child.stdin.write('ls\r\u0003');
    await eventually('the shell has the input', () => typed === 'ls\r\u0003');
    shell.end(3);
    const shown = await closed;
    assert.match(shown, /code 3/);
    assert.match(shown, NORMAL_MODE);
  });

  it('leaves the terminal in its normal mode if no shell can run', async function () {
    if (!hasScript) this.skip();
    const { api, workerId } = await platformWithWorker({ programs: [] });
    world.useHosted(api.addresses);
    for (const worker of [workerId, 'none']) {
      const shown = await inTerminal(worker).closed;
      assert.match(shown, /code 255/);
      assert.match(shown, NORMAL_MODE);
    }
  });

  it('ends with 255 if no shell can run', async () => {
    const { api, workerId } = await platformWithWorker({ programs: [] });
    world.useHosted(api.addresses);
    const without = await world.run(['shell', workerId]);
    assert.equal(without.code, 255);
    assert.match(without.stderr, /the image contains neither bash nor sh/);
    const unknown = await world.run(['shell', 'none']);
    assert.equal(unknown.code, 255);
    assert.match(unknown.stderr, /has no worker or endpoint none/);
  });

  it('names a worker that is a process', async () => {
    const { api, workerId } = await platformWithWorker({ isProcess: true });
    world.useHosted(api.addresses);
    assert.match((await world.run(['shell', workerId])).stderr, /runs as a process/);
  });

  it('names an endpoint without workers', async () => {
    const { api } = await platformForTest();
    world.useHosted(api.addresses);
    await api.createEndpoint({ name: 'idle', workers: { min: 0, max: 1 } });
    const { code, stderr } = await world.run(['shell', 'idle']);
    assert.equal(code, 255);
    assert.match(stderr, /idle has no workers/);
  });

  it('ends the shell at an interruption', async () => {
    const { api, workerId, shells } = await platformWithWorker();
    world.useHosted(api.addresses);
    const program = world.start(['shell', workerId], null);
    const shell = await eventually('the shell runs', () => shells[0]);
    program.child.kill('SIGTERM');
    assert.equal((await program.exit).code, 143);
    await eventually('the shell has ended', () => shell.signal.aborted);
  });
});
