import assert from 'node:assert/strict';
import path from 'node:path';
import type { CreateEndpointBody } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import { processStart } from '../../src/machine/processTable.ts';
import { completeLines } from '../support/completeLines.ts';
import { launch } from './launch.ts';
import { afterwards, Api, cleanUp, dataDirectory, endpointBody, eventually, platformForTest } from './support.ts';

const DAEMONS = 20;

/** File to which the daemons write their PIDs. */
type PidFile = string;

/**
 * Returns the command of a worker that starts hidden daemons. Each daemon has its own session, an empty environment, and no shared output.
 * Half of them are children of a process that has exited.
 */
function daemonsIn(file: PidFile): Partial<CreateEndpointBody> {
  const daemon = `env -i setsid sh -c 'echo $$ >> "$0"; exec sleep 120' '${file}' </dev/null >/dev/null 2>&1`;
  const script = `i=0; while [ $i -lt ${DAEMONS / 2} ]; do ${daemon} & ( ${daemon} & ); i=$((i+1)); done; exec sleep 120`;
  return { cmd: ['sh', '-c', script], workers: { min: 1, max: 1 } };
}

/** A process, identified by PID and start time because PIDs are reused. */
interface ProcessIdentity {
  readonly pid: number;
  readonly start: string;
}

const isRunning = async ({ pid, start }: ProcessIdentity): Promise<boolean> => (await processStart(pid)) === start;

async function countRunning(daemons: readonly ProcessIdentity[]): Promise<number> {
  return (await Promise.all(daemons.map(isRunning))).filter(Boolean).length;
}

describe('Daemons started by a worker', () => {
  afterEach(cleanUp);

  before(function () {
    // Other systems cannot identify a process that has left its process group.
    if (process.platform !== 'linux') this.skip();
  });

  const pidFile = async (): Promise<PidFile> => path.join(await dataDirectory(), 'pids');

  /** Waits for all daemons. `cleanUp` ends those that remain. */
  async function daemonsOf(file: PidFile): Promise<ProcessIdentity[]> {
    const pids = await eventually('all daemons are running', async () => {
      const lines = await completeLines(file);
      return lines.length === DAEMONS && lines.map(Number);
    });
    const found = await Promise.all(pids.map(async (pid) => ({ pid, start: (await processStart(pid)) ?? '' })));
    const known = found.filter(({ start }) => start !== '');
    afterwards(async () => {
      for (const daemon of known) if (await isRunning(daemon)) process.kill(daemon.pid, 'SIGKILL');
    });
    assert.equal(known.length, DAEMONS);
    return known;
  }

  async function launchPlatform() {
    const dataDir = await dataDirectory();
    const file = await pidFile();
    const platform = launch(['--json', '--data-dir', dataDir]);
    await new Api(await platform.announcement()).call(operations.createEndpoint, {
      body: endpointBody(daemonsIn(file)),
    });
    return { platform, dataDir, daemons: await daemonsOf(file) };
  }

  it('end when their endpoint is deleted', async () => {
    const { api } = await platformForTest();
    const file = await pidFile();
    const endpoint = await api.createEndpoint(daemonsIn(file));
    const daemons = await daemonsOf(file);
    await api.call(operations.deleteEndpoint, { parameters: { id: endpoint.id } });
    await eventually('all daemons have ended', async () => (await countRunning(daemons)) === 0);
  });

  it("end when the worker's process is killed", async () => {
    const { api } = await platformForTest();
    const file = await pidFile();
    const endpoint = await api.createEndpoint(daemonsIn(file));
    const daemons = await daemonsOf(file);
    const [worker] = await api.workers(endpoint);
    const lines = await api.logsUntil(endpoint, worker?.id ?? '', ({ line }) => /^process \d+ started$/.test(line), {
      query: { source: 'system', tail: 100 },
    });
    process.kill(Number(/\d+/.exec(lines.at(-1)?.line ?? '')?.[0]), 'SIGKILL');
    await eventually('all daemons have ended', async () => (await countRunning(daemons)) === 0);
  });

  it('end when the platform stops', async () => {
    const { platform, daemons } = await launchPlatform();
    platform.kill('SIGTERM');
    assert.equal((await platform.exit).code, 0);
    assert.equal(await countRunning(daemons), 0);
  });

  it('are ended by the next platform after the first one was killed', async () => {
    const { platform, daemons, dataDir } = await launchPlatform();
    platform.kill('SIGKILL');
    await platform.exit;
    assert.equal(await countRunning(daemons), DAEMONS);
    await launch(['--json', '--data-dir', dataDir]).announcement();
    await eventually('all daemons have ended', async () => (await countRunning(daemons)) === 0);
  });
});
