import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { PROCESS_IMAGE_PREFIX } from '../../../contract/processImage.ts';
import type { Clock } from '../../time/clock.ts';
import { Turns } from '../../time/pacing.ts';
import { endTree, processStart } from '../../../machine/processTable.ts';
import {
  endOrphans,
  Stragglers,
  processHandles,
  type ProcessHandle,
  signalProcessGroup,
  type StartedProcess,
} from './startedProcess.ts';
import { marked, RUN_MARKER, type Command, type Limiter } from './runMark.ts';
import type { RunSpec } from '../runSpec.ts';
import type { ProcessExit } from '../../../contract/systemLines.ts';
import { StartError, type RunningWorker, type Runtime, type StartOptions, type WorkerGate } from '../runtime.ts';
import { STATE_FILES } from '../workerEnvironment.ts';
import { languageOf, underDebugpy, type ProgramCall } from '../../domain/debugCommand.ts';
import { FreePorts, LOOPBACK } from './freePorts.ts';
import { hostEnvironment } from './hostEnvironment.ts';
import { InspectorAnnouncements, processDebugger } from './processDebugger.ts';
import { Preloads } from './preload/preloads.ts';

/** Imports execa with the first worker or in idle time, so that the start of the platform does not wait for it. */
export const loadExeca = () => import('execa');

/** Maximum number of chunks of output that are delivered in one turn of the event loop. A chunk has up to 64 KiB. */
const CHUNKS_PER_TURN = 16;
/** Maximum time to wait for output after the process has exited, in ms. */
const OUTPUT_GRACE_MS = 1_000;

/**
 * Runs `image: "process:<directory>"` as a process on this machine, in that directory. Rejects other images, which need a container engine.
 *
 * Descendants of a worker end with it, as far as the system can find them:
 * - Linux: every descendant, by its mark (see runMark.ts), even after the platform was killed and restarted.
 * - macOS: the process group of the worker. A daemon with its own group or session keeps running.
 * - Windows: the process tree, when the platform stops the worker. Descendants keep running if the worker exits on its own or the platform
 *   is killed.
 *
 * @param options.limiter tool that marks the processes on Linux; default: the one found on this machine
 * @param options.gate serves the worker protocol; default: the address in the specification
 */
export function processRuntime(
  clock: Clock,
  { limiter, gate }: { readonly limiter?: Promise<Limiter> | undefined; readonly gate?: WorkerGate | undefined } = {},
): Runtime {
  const stragglers = new Stragglers();
  const freePorts = new FreePorts();
  /** The system takes milliseconds to start a process, and the platform responds to no request in the meantime. */
  const spawns = new Turns(1);
  const chunks = new Turns(CHUNKS_PER_TURN);

  const relay = (stream: Readable, onChunk: (chunk: Uint8Array) => void): void => deliver(stream, chunks, onChunk);
  const preloads = new Preloads({ clock, limiter, relay, onEnded: (id) => void stragglers.end(id) });

  const spawn = async (
    attempt: StartAttempt,
    runId: string,
    signal: AbortSignal,
    follow: (process: Pick<StartedProcess, 'stdout' | 'stderr'>) => void,
  ): Promise<StartedProcess> => {
    const command = await marked(attempt, runId, attempt, limiter);
    const execa = await loadExeca();
    await spawns.step();
    signal.throwIfAborted();
    const child = spawned(execa, command, attempt);
    follow(child);
    const { pid, stdout, stderr, nodeChildProcess: osProcess } = child;
    if (pid === undefined) {
      const { code, originalMessage: message = 'unknown reason' } = await child;
      throw startFailure(attempt, { code, message });
    }
    return {
      ...{ pid, stdout, stderr },
      closed: new Promise<void>((resolve) => osProcess.once('close', () => resolve())),
      exit: new Promise((resolve) => osProcess.once('exit', (code, by) => resolve({ code, signal: by }))),
    };
  };

  const start = async (spec: RunSpec, options: StartOptions, listensOn: PortMap): Promise<RunningWorker> => {
    const { onOutput, signal } = options;
    const { runId } = spec.labels;
    const url = (await gate?.open(LOOPBACK)) ?? spec.protocol.url;
    const { directory, ...call } = await commandOf(spec);
    const debugpyPort = isUnderDebugpy(spec, call) ? listensOn(DEBUGPY_PORT) : undefined;
    const { file, args } = debugpyPort === undefined ? call : underDebugpy(call, debugpyPort, spec.debug?.debugpy);
    await deleteStateFiles(directory);
    const variables = hostEnvironment({ ...spec, protocol: { ...spec.protocol, url } }, listensOn, process.env);
    const env = { ...variables, PWD: directory, [RUN_MARKER]: runId };
    const attempt = { file, args, directory, env };
    const inspector = new InspectorAnnouncements();
    const follow = (process: Pick<StartedProcess, 'stdout' | 'stderr'>): void => {
      relay(process.stdout, (chunk) => onOutput('stdout', chunk));
      relay(process.stderr, (chunk) => {
        inspector.read(chunk);
        onOutput('stderr', chunk);
      });
    };
    const forked = await preloads.fork({ spec, worker: call, call: attempt, directory, env }, options);
    if (forked) follow(forked);
    const { pid, exit, closed, preloader } = forked ?? (await spawn(attempt, runId, signal, follow));
    options.onSpawned?.();
    // Chunks are delivered in order, so the last one of this process comes before this step.
    const delivered = closed.then(() => chunks.step());
    const exited = exit.then(async ({ isAlone = false, ...status }) => {
      // Remaining descendants would keep the output open and run unnoticed. On Windows, the PID may already be reused.
      if (process.platform !== 'win32') signalGroup(pid, 'SIGKILL');
      const grace = Promise.withResolvers<void>();
      const cancel = clock.after(OUTPUT_GRACE_MS, grace.resolve);
      const output = Promise.race([delivered, grace.promise]).finally(cancel);
      await Promise.all([output, isAlone ? undefined : stragglers.end(runId)]);
      return status;
    });
    return {
      handle: handleOf(runId, { pid, processStart: await processStart(pid).catch(() => undefined), preloader }),
      label: `process ${pid}`,
      exited,
      address: (port) => Promise.resolve({ host: LOOPBACK, port: listensOn(port) }),
      debugger: processDebugger({ pid, command: call, directory, env, debugpyPort, inspector, clock }),
      ...control(pid, exited, clock),
    };
  };

  return {
    canFreeze: () => process.platform !== 'win32',
    // Host processes end with the platform.
    canAdopt: () => false,
    placesGpus: () => false,
    handleOf: ({ runId }) => handleOf(runId),
    start: async (spec, options) => {
      const ports = await freePorts.reserve(new Set([...portsToReplace(spec), ...(spec.debug ? [DEBUGPY_PORT] : [])]));
      const release = (): void => freePorts.release(ports.values());
      try {
        const running = await start(spec, options, (port) => ports.get(port) ?? port);
        void running.exited.then(release);
        return running;
      } catch (error) {
        release();
        throw error;
      }
    },
    adopt: () => Promise.resolve(undefined),
    endOrphans: (handles) => endOrphans(processHandles(handles)),
    workerStopped: (workerId) => preloads.workerStopped(workerId),
    close: () => preloads.close(),
  };
}

/** Maps a port of the specification to the port on which the process listens. */
type PortMap = (port: number) => number;

/**
 * Returns the ports to replace with free ones, because processes of one machine cannot share a port. A server reads its ports from its
 * environment.
 */
function portsToReplace({ server }: RunSpec): Set<number> {
  return new Set(server ? [server.port, server.healthPort] : []);
}

/** Stands for the port of debugpy among the ports of a specification, which are greater than 0. */
const DEBUGPY_PORT = 0;

function isUnderDebugpy({ debug }: RunSpec, command: ProgramCall): boolean {
  return debug !== undefined && languageOf(command) === 'python';
}

function handleOf(runId: string, process: Omit<ProcessHandle, 'runtime' | 'runId'> = {}): ProcessHandle {
  return { runtime: 'process', runId, ...process };
}

/** Start of a command, as the worker specifies it. */
interface StartAttempt extends Command {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
}

/** @param command the attempt's command with its mark. @throws StartError if execa rejects an argument; the result has other errors */
function spawned({ execa }: Awaited<ReturnType<typeof loadExeca>>, { file, args }: Command, attempt: StartAttempt) {
  const { directory, env } = attempt;
  try {
    return execa(file, args, {
      cwd: directory,
      env,
      extendEnv: false,
      detached: process.platform !== 'win32',
      cleanup: false,
      buffer: false,
      reject: false,
      stdin: 'ignore',
      encoding: 'buffer',
      windowsHide: true,
    });
  } catch (error) {
    throw startFailure(attempt, error as Error);
  }
}

/** Delivers output chunk by chunk. Other work runs in between. Excess output stays in the pipe, which blocks the process. */
function deliver(stream: Readable, chunks: Turns, onChunk: (chunk: Uint8Array) => void): void {
  stream.on('data', (chunk: Uint8Array) => {
    stream.pause();
    const pass = (): void => {
      onChunk(chunk);
      setImmediate(() => stream.resume());
    };
    const turn = chunks.step();
    if (turn) void turn.then(pass);
    else pass();
  });
}

/** Deletes state files of an earlier process. A worker in a new container would not find them either. */
async function deleteStateFiles(directory: string): Promise<void> {
  // A worker runs as the same user, so it did not write a file that the platform cannot delete.
  const remove = (name: string) => rm(path.join(directory, name), { force: true }).catch(() => undefined);
  await Promise.all(STATE_FILES.map(remove));
}

function control(
  pid: number,
  exited: Promise<ProcessExit>,
  clock: Clock,
): Pick<RunningWorker, 'stop' | 'kill' | 'freeze' | 'thaw'> {
  let over = false;
  void exited.then(() => (over = true));
  // The system may have reused the PID of a process that has ended.
  const signal = (name: NodeJS.Signals): void => {
    if (!over) signalGroup(pid, name);
  };
  return {
    freeze: () => {
      signal('SIGSTOP');
      return Promise.resolve();
    },
    thaw: () => {
      signal('SIGCONT');
      return Promise.resolve();
    },
    kill: async () => {
      signal('SIGKILL');
      await exited;
    },
    stop: async (graceMs) => {
      if (over) return;
      signal('SIGTERM');
      // A frozen process receives SIGTERM only after it continues.
      signal('SIGCONT');
      const cancel = clock.after(graceMs, () => signal('SIGKILL'));
      await exited;
      cancel();
    },
  };
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (process.platform === 'win32') {
    // Windows has no catchable signals: both of these end the process.
    if (signal === 'SIGTERM' || signal === 'SIGKILL') endTree(pid);
    return;
  }
  signalProcessGroup(pid, signal);
}

async function commandOf({
  image,
  entrypoint,
  cmd,
}: RunSpec): Promise<{ directory: string; file: string; args: string[] }> {
  if (!image.startsWith(PROCESS_IMAGE_PREFIX)) {
    throw new StartError(
      `the image ${image} needs a container engine. ` +
        `To run the worker as a process on this machine, add an "x-local" section (directory, command) to the manifest, ` +
        `or use the image "${PROCESS_IMAGE_PREFIX}<directory>" and a command.`,
      { problem: 'engineMissing' },
    );
  }
  const directory = image.slice(PROCESS_IMAGE_PREFIX.length);
  if (!path.isAbsolute(directory)) throw new StartError(`the worker's directory ${directory} must be an absolute path`);
  const found = await stat(directory).catch(() => undefined);
  if (!found)
    throw new StartError(`the worker's directory ${directory} does not exist`, { problem: 'directoryMissing' });
  if (!found.isDirectory()) throw new StartError(`${directory} is not a directory`);
  const [file, ...args] = [...entrypoint, ...cmd];
  if (file === undefined || file === '') {
    throw new StartError('no command: a process image needs args, entrypoint, or cmd');
  }
  return { directory, file, args };
}

/** Returns the error for a process that could not be started, with a remedy for common causes. */
function startFailure(
  { file, args, directory, env }: StartAttempt,
  { code, message }: Pick<NodeJS.ErrnoException, 'code' | 'message'>,
): StartError {
  // Node's message contains the value, which may be a secret.
  if ([file, ...args, ...Object.entries(env).flat()].some((text) => text.includes('\0'))) {
    return new StartError('the command or environment contains a null byte. Remove it.');
  }
  switch (code) {
    case 'ENOENT':
      return new StartError(`command not found: ${file}. Install it, add it to the PATH, or specify its full path.`);
    case 'EACCES':
      return new StartError(`${file} is not executable. Make it executable.`);
    default:
      return new StartError(`${file} could not be started in ${directory}: ${message}`);
  }
}
