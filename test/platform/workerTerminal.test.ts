import assert from 'node:assert/strict';
import type { TerminalEnd } from '../../src/contract/control/terminal.ts';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { operations } from '../../src/contract/operations.ts';
import { ApiError } from '../../src/client/apiError.ts';
import { contextOf } from '../../src/client/context.ts';
import { openWorkerTerminal } from '../../src/client/workerTerminal.ts';
import { ExecError } from '../../src/platform/runtimes/runtime.ts';
import { platformWithWorker, type ShellSetup } from './echoShells.ts';
import { afterwards, type Api, cleanUp, eventually, otherAccount } from './support.ts';

/** Opens a terminal, and collects what it shows. */
async function open(
  api: Api,
  { id: endpointId }: Pick<Endpoint, 'id'>,
  workerId: string,
  apiKey = api.addresses.apiKey,
) {
  const shown: { text: string; ends: TerminalEnd[] } = { text: '', ends: [] };
  const context = contextOf({ connection: { ...api.addresses, apiKey }, fetch });
  const controller = new AbortController();
  afterwards(() => {
    controller.abort();
    return Promise.resolve();
  });
  const terminal = await openWorkerTerminal(
    context,
    { endpointId, workerId, size: { columns: 93, rows: 31 } },
    {
      onOutput: (bytes) => (shown.text += Buffer.from(bytes).toString()),
      onEnd: (end) => shown.ends.push(end),
    },
    controller.signal,
  );
  const end = () => eventually('the terminal has ended', () => shown.ends[0]);
  return { terminal, shown, end };
}

/** Resolves with the line of the worker's log that contains the text, once there is one. */
async function lineWith(api: Api, endpoint: Endpoint, workerId: string, text: string): Promise<string | undefined> {
  const events = await api.logsUntil(endpoint, workerId, ({ line }) => line.includes(text));
  return events.at(-1)?.line;
}

const isRefused = (status: number) => (error: unknown) => error instanceof ApiError && error.status === status;

describe('A terminal in a worker', () => {
  afterEach(cleanUp);

  it('connects a shell of the size of the terminal, and reports its exit code', async () => {
    const { api, endpoint, workerId, shells } = await platformWithWorker();
    const { terminal, shown, end } = await open(api, endpoint, workerId);
    const shell = await eventually('a shell runs', () => shells[0]);
    assert.deepEqual(shell.request, { command: ['sh'], terminal: { columns: 93, rows: 31 } });
    terminal.write('工作器\x03');
    await eventually('the input came back', () => shown.text === '工作器\x03');
    terminal.resize({ columns: 100, rows: 40 });
    await eventually('the size was changed', () => shell.sizes.length === 1);
    assert.deepEqual(shell.sizes, [{ columns: 100, rows: 40 }]);
    shell.end(3);
    assert.deepEqual(await end(), { event: 'exited', code: 3 });
  });

  it('is bash if the image contains it', async () => {
    const { api, endpoint, workerId, shells } = await platformWithWorker({ programs: ['bash', 'sh'] });
    await open(api, endpoint, workerId);
    await eventually('a shell runs', () => shells[0]?.request.command[0] === 'bash');
  });

  it('transfers bytes of any size and value, and at most as fast as the shell takes them', async () => {
    const { api, endpoint, workerId } = await platformWithWorker();
    const { terminal, shown } = await open(api, endpoint, workerId);
    const part = 'ä'.repeat(100_000);
    for (let count = 0; count < 30; count++) terminal.write(part);
    await eventually('all came back', () => shown.text.length === 3_000_000);
    assert.equal(shown.text, part.repeat(30));
  });

  it('kills its shell when it is closed', async () => {
    const { api, endpoint, workerId, shells } = await platformWithWorker();
    const { terminal } = await open(api, endpoint, workerId);
    const shell = await eventually('a shell runs', () => shells[0]);
    terminal.close();
    await eventually('the shell is killed', () => shell.signal.aborted);
  });

  it('is lost if the connection to the shell is lost', async () => {
    const { api, endpoint, workerId, shells } = await platformWithWorker();
    const { end } = await open(api, endpoint, workerId);
    (await eventually('a shell runs', () => shells[0])).end(undefined);
    assert.deepEqual(await end(), { event: 'lost' });
  });

  it('ends with its worker, and names the reason', async () => {
    const { api, endpoint, workerId, shells } = await platformWithWorker();
    const { end } = await open(api, endpoint, workerId);
    await eventually('a shell runs', () => shells.length === 1);
    await api.call(operations.deleteEndpoint, { parameters: { id: endpoint.id } });
    assert.deepEqual(await end(), { event: 'ended', reason: 'the endpoint was deleted' });
  });

  it('fails with the cause if it cannot be opened', async () => {
    const failureOf = async (setup: ShellSetup) => {
      const { api, endpoint, workerId } = await platformWithWorker(setup);
      return (await (await open(api, endpoint, workerId)).end()).problem;
    };
    assert.equal(await failureOf({ programs: [] }), 'noShell');
    assert.equal(await failureOf({ isProcess: true }), 'notContainer');
    for (const problem of ['unreachable', 'forbidden', 'other'] as const)
      assert.equal(await failureOf({ failure: new ExecError(problem, 'why') }), problem);
    assert.equal(await failureOf({ failure: new ExecError('ended', 'why') }), 'notRunning');
  });

  it('is recorded in the log of the worker with the name of the account and the key', async () => {
    const { api, endpoint, workerId } = await platformWithWorker();
    const { terminal } = await open(api, endpoint, workerId);
    const opened = await lineWith(api, endpoint, workerId, 'terminal was opened');
    assert.equal(opened, 'a terminal was opened by the owner of the platform');
    terminal.close();
    const closed = await lineWith(api, endpoint, workerId, 'terminal was closed');
    assert.equal(closed, 'the terminal was closed by the owner of the platform');
    const { key } = await api.call(controlOperations.createApiKey, { body: { name: 'laptop' } });
    await open(api, endpoint, workerId, key);
    assert.match(
      (await lineWith(api, endpoint, workerId, '(key laptop)')) ?? '',
      /^a terminal was opened by .+ \(key laptop\)$/,
    );
  });

  it('requires the permission to change the endpoint, and ends with the key', async () => {
    const { api, endpoint, workerId } = await platformWithWorker();
    const keyWith = (body: object) => api.call(controlOperations.createApiKey, { body: { name: 'key', ...body } });
    const reader = await keyWith({ permissions: ['serverless:read', 'invoke'] });
    await assert.rejects(open(api, endpoint, workerId, reader.key), isRefused(403));
    await assert.rejects(open(api, endpoint, workerId, 'unknown'), isRefused(401));
    const stranger = await otherAccount(api);
    await assert.rejects(open(api, endpoint, workerId, stranger.addresses.apiKey), isRefused(404));
    await assert.rejects(open(api, endpoint, 'unknown'), isRefused(404));
    await assert.rejects(open(api, { id: 'unknown' }, workerId), isRefused(404));
    const writer = await keyWith({ permissions: ['serverless:write'] });
    const { end } = await open(api, endpoint, workerId, writer.key);
    await api.call(controlOperations.revokeApiKey, { parameters: { id: writer.id } });
    assert.deepEqual(await end(), { event: 'revoked' });
  });

  it('ends when the platform stops', async () => {
    const { api, endpoint, workerId, platform } = await platformWithWorker();
    const { end } = await open(api, endpoint, workerId);
    await platform.close();
    assert.match((await end()).event, /^(ended|lost)$/);
  });
});
