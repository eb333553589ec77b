import assert from 'node:assert/strict';
import { contextOf } from '../../src/client/context.ts';
import { openWorkerTerminal } from '../../src/client/workerTerminal.ts';
import type { TerminalEnd } from '../../src/contract/control/terminal.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { afterwards, type Api, eventually } from '../platform/support.ts';

/** Creates an endpoint whose worker stays, in `SHELL_IMAGE`. */
type Create = () => Promise<{ readonly api: Api; readonly endpoint: Endpoint }>;

/** Terminals that a client opens through the platform, in containers or pods. */
export function describeTerminal(create: Create): void {
  it('runs a shell of the size of the terminal, and is recorded in the log of the worker', async () => {
    const { api, endpoint } = await create();
    const { id: workerId } = await eventually('the worker runs', async () => {
      const [worker] = await api.workers(endpoint);
      if (!worker) return undefined;
      await api.logsUntil(endpoint, worker.id, ({ line }) => line.endsWith(' started'));
      return worker;
    });
    const shown: { text: string; ends: TerminalEnd[] } = { text: '', ends: [] };
    const decoder = new TextDecoder();
    const controller = new AbortController();
    afterwards(() => {
      controller.abort();
      return Promise.resolve();
    });
    const terminal = await openWorkerTerminal(
      contextOf({ connection: api.addresses, fetch }),
      { endpointId: endpoint.id, workerId, size: { columns: 93, rows: 31 } },
      {
        onOutput: (bytes) => (shown.text += decoder.decode(bytes, { stream: true })),
        onEnd: (end) => shown.ends.push(end),
      },
      controller.signal,
    );
    // A cluster sets the size some time after the start. The quotes keep the echo of the input apart from the output.
    const untilSize = (size: string): string => `until [ "$(stty size)" = "${size}" ]; do sleep 0.1; done; stty size;`;
    terminal.write(`${untilSize('31 93')} echo 工作''器-✓\n`);
    await eventually('the shell has the size', () => shown.text.includes('31 93\r\n工作器-✓\r\n'));
    terminal.resize({ columns: 120, rows: 40 });
    terminal.write(`${untilSize('40 120')} echo resi''zed\n`);
    await eventually('the shell has the new size', () => shown.text.includes('40 120\r\nresized\r\n'));
    terminal.write('exit 5\n');
    assert.deepEqual(await eventually('the terminal has ended', () => shown.ends[0]), { event: 'exited', code: 5 });
    const events = await api.logsUntil(endpoint, workerId, ({ line }) => line.startsWith('the terminal was closed'));
    assert.deepEqual(
      events.map(({ line }) => line).filter((line) => line.includes('terminal was')),
      ['a terminal was opened by the owner of the platform', 'the terminal was closed by the owner of the platform'],
    );
  });
}
