import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import type { AddressInfo } from 'node:net';
import { codeProcess, underDebugpy } from '../domain/debugCommand.ts';
import {
  FIND_PROCESSES_NODE,
  FIND_PROCESSES_PYTHON,
  OPEN_INSPECTOR,
  RELAY_NODE,
  RELAY_PYTHON,
} from './execPrograms.ts';
import {
  DebuggerError,
  ExecError,
  type ExecRequest,
  type ExecSession,
  type OpenedDebugger,
  type RestartUnderDebugger,
  type RunningWorker,
  type WorkerDebugger,
} from './runtime.ts';

/* The debugger of a worker in a container or pod. Its port stays inside: each connection is relayed by a program beside the worker. */

const LOOPBACK = '127.0.0.1';
/** Port of debugpy inside the container. */
const DEBUGPY_PORT = 5678;
/** Interpreters that list the processes, in the order in which they are tried. Images without Node.js can have Python, and the reverse. */
const FINDERS = [
  ['node', '-e', FIND_PROCESSES_NODE],
  ['python3', '-c', FIND_PROCESSES_PYTHON],
  ['python', '-c', FIND_PROCESSES_PYTHON],
  ['/nodejs/bin/node', '-e', FIND_PROCESSES_NODE],
];

const FoundProcess = z.object({
  pid: z.int(),
  parent: z.int(),
  started: z.number(),
  program: z.string(),
  args: z.array(z.string()),
  directory: z.string(),
});
type FoundProcess = z.infer<typeof FoundProcess>;

type Exec = NonNullable<RunningWorker['exec']>;

/** Returns the debugger of a worker beside which programs can run. Undefined if none can. */
export function execDebugger(worker: RunningWorker): WorkerDebugger | undefined {
  if (!worker.exec) return undefined;
  const exec = worker.exec.bind(worker);
  return {
    opensEarly: false,
    open: async (_, signal) => {
      const ended = new AbortController();
      void worker.exited.then(() => ended.abort());
      return open(exec, AbortSignal.any([signal, ended.signal]));
    },
  };
}

async function open(exec: Exec, signal: AbortSignal): Promise<OpenedDebugger | RestartUnderDebugger> {
  const processes = await findProcesses(exec, signal);
  const found = codeProcess(processes);
  const process = processes.find(({ pid }) => pid === found?.pid);
  if (!found || !process) throw new DebuggerError('unknownProgram', 'the container runs neither Node.js nor Python');
  const { language } = found;
  const { program, directory } = process;
  if (language === 'node') {
    const inspector = await outputOf(exec, [program, '-e', OPEN_INSPECTOR, String(process.pid)], signal);
    if (inspector === undefined) throw new DebuggerError('notListening', 'the inspector of Node.js did not open');
    const port = await relay(exec, [program, '-e', RELAY_NODE, inspector.trim()], signal);
    return { language, directory, host: LOOPBACK, port };
  }
  if (isUnderDebugpy(process)) {
    const port = await relay(exec, [program, '-c', RELAY_PYTHON, String(DEBUGPY_PORT)], signal);
    return { language, directory, host: LOOPBACK, port };
  }
  const [file = program, ...args] = process.args;
  if ((await outputOf(exec, [file, '-c', 'import debugpy'], signal)) === undefined) {
    throw new DebuggerError(
      'debugpyMissing',
      'the image has no debugpy; add "RUN pip install debugpy" to its Dockerfile',
    );
  }
  const call = underDebugpy({ file, args }, DEBUGPY_PORT, undefined);
  return { restart: { debugpy: undefined, command: [call.file, ...call.args] } };
}

const isUnderDebugpy = ({ args }: FoundProcess): boolean =>
  args.includes('debugpy') && args.includes(`${LOOPBACK}:${DEBUGPY_PORT}`);

/** Returns the processes of the container. The arguments include the name with which a program was called. */
async function findProcesses(exec: Exec, signal: AbortSignal): Promise<FoundProcess[]> {
  for (const command of FINDERS) {
    const output = await outputOf(exec, command, signal);
    const found = output === undefined ? undefined : z.array(FoundProcess).safeParse(JSON.parse(output));
    if (found?.success === true) return found.data;
  }
  throw new DebuggerError('unknownProgram', 'the image contains neither Node.js nor Python');
}

/** Returns the output of a program. Undefined if the image does not contain it, or it fails. @throws DebuggerError; the signal's reason */
async function outputOf(exec: Exec, command: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  const session = await started(exec, { command }, signal);
  if (!session) return undefined;
  session.stdin.end();
  session.stderr.resume();
  const output = await text(session.stdout).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new DebuggerError('notListening', (error as Error).message);
  });
  return (await session.exited) === 0 ? output : undefined;
}

async function started(exec: Exec, request: ExecRequest, signal: AbortSignal): Promise<ExecSession | undefined> {
  try {
    return await exec(request, signal);
  } catch (error) {
    if (!(error instanceof ExecError)) throw error;
    if (error.problem === 'noProgram') return undefined;
    throw new DebuggerError('notListening', error.message);
  }
}

/**
 * Listens on the loopback interface of this machine, and connects each connection with a program beside the worker, until the signal is
 * aborted. Resolves with the port.
 */
async function relay(exec: Exec, command: readonly string[], signal: AbortSignal): Promise<number> {
  signal.throwIfAborted();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    void connect(exec, command, socket, signal);
  });
  signal.addEventListener('abort', () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  server.listen(0, LOOPBACK);
  await once(server, 'listening');
  server.on('error', () => undefined);
  return (server.address() as AddressInfo).port;
}

async function connect(exec: Exec, command: readonly string[], socket: Socket, signal: AbortSignal): Promise<void> {
  const closed = new AbortController();
  socket.once('close', () => closed.abort());
  // Without a listener, an error would end the platform. The socket closes after it.
  socket.on('error', () => undefined);
  try {
    const { stdin, stdout, stderr } = await exec({ command }, AbortSignal.any([signal, closed.signal]));
    stderr.resume();
    await Promise.all([pipeline(socket, stdin), pipeline(stdout, socket)]);
  } catch {
    // The connection of the debugger shows that the other side is gone.
  } finally {
    socket.destroy();
  }
}
