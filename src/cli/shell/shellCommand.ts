import process from 'node:process';
import { ApiError } from '../../client/apiError.ts';
import { listAll } from '../../client/listAll.ts';
import { openWorkerTerminal, type WorkerTerminal } from '../../client/workerTerminal.ts';
import type { TerminalEnd, TerminalSize } from '../../contract/control/terminal.ts';
import { DEFAULT_TERMINAL_SIZE } from '../../contract/control/terminal.ts';
import { endpointsNamed } from '../../account/endpoints/endpointSnapshot.ts';
import { listWorkers, type ListedWorker } from '../../features/logs/actions/listWorkers.ts';
import { withoutControls } from '../../text/shownText.ts';
import { endpointNamed } from '../connection/endpointNamed.ts';
import { withSession, type ConnectionOptions, type Session } from '../connection/openSession.ts';
import { CannotRunError } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';

export interface ShellFlags extends ConnectionOptions {
  /** ID of a worker, or the name or ID of an endpoint. */
  readonly worker: string;
  readonly endpoint?: string | undefined;
}

/** Exit code of a failure, as that of other programs with a remote shell. */
const NO_SHELL = 255;

/** Connects a shell in a worker with the standard streams. Resolves with its exit code. */
export async function shellCommand(flags: ShellFlags, surroundings: Surroundings): Promise<number> {
  const { signal, tell } = surroundings;
  try {
    return await withSession(flags, surroundings, async (session) => {
      const end = await connect(session, await workerOf(flags, session, signal), signal);
      if (end.event === 'exited') return end.code ?? 0;
      if (!signal.aborted) tell(session.hide(withoutControls(endWords(end))));
      return NO_SHELL;
    });
  } catch (error) {
    throw error instanceof CannotRunError ? new CannotRunError(error.message, NO_SHELL) : error;
  }
}

/** @throws CannotRunError if there is not exactly one, and ApiError */
async function workerOf({ worker: wanted, endpoint: named }: ShellFlags, session: Session, signal: AbortSignal) {
  const endpoints =
    named === undefined ? await allEndpoints(session, signal) : [await endpointNamed(session, named, signal)];
  const meant = named === undefined ? endpointsNamed(wanted, endpoints) : [];
  const workers = await listWorkers(session.client, { endpoints: meant.length > 0 ? meant : endpoints, signal });
  const chosen = meant.length > 0 ? workers : workers.filter(({ worker }) => worker.id === wanted);
  const [one, ...others] = chosen;
  if (one && others.length === 0) return one;
  if (one)
    throw new CannotRunError(`${wanted} has several workers: ${chosen.map(({ worker }) => worker.id).join(', ')}`);
  throw new CannotRunError(
    meant.length > 0
      ? `${wanted} has no workers; one starts with the first job or request`
      : `${session.name} has no worker or endpoint ${wanted}`,
  );
}

const allEndpoints = ({ client }: Session, signal: AbortSignal) =>
  listAll(client, 'listEndpoints', {}, 'endpoints', { signal });

async function connect(
  { client, isLocal }: Session,
  { endpoint, worker }: ListedWorker,
  signal: AbortSignal,
): Promise<TerminalEnd> {
  const { stdin, stdout } = process;
  const ended = Promise.withResolvers<TerminalEnd>();
  const target = { endpointId: endpoint.id, workerId: worker.id, size: terminalSize() };
  const listener = { onOutput: (bytes: Uint8Array) => void stdout.write(bytes), onEnd: ended.resolve };
  // Set before the shell is requested. Otherwise, the terminal would interpret keys that are typed while the shell opens.
  if (stdin.isTTY) stdin.setRawMode(true);
  let release = (): void => undefined;
  try {
    release = attach(await openWorkerTerminal(client.context, target, listener, signal));
    return await ended.promise;
  } catch (error) {
    const isUnknown = error instanceof ApiError && error.kind === 'notFound' && !isLocal;
    throw isUnknown ? new CannotRunError('the platform offers no terminals; see its console, or SSH') : error;
  } finally {
    release();
    if (stdin.isTTY) stdin.setRawMode(false);
  }
}

/** Sends the input and the size of this terminal to the shell. Returns a function that ends this. */
function attach(terminal: WorkerTerminal): () => void {
  const { stdin, stdout } = process;
  let isLineStart = true;
  const type = (bytes: Buffer): void => {
    isLineStart = bytes.at(-1) === NEWLINE;
    terminal.write(bytes);
  };
  // A terminal has no end of its input, but a character for it. At other places than the start of a line, one only sends the line.
  const end = (): void => terminal.write(isLineStart ? END_OF_INPUT : END_OF_INPUT.repeat(2));
  const resize = (): void => terminal.resize(terminalSize());
  stdin.on('data', type);
  stdin.on('end', end);
  stdout.on('resize', resize);
  // The size can have changed while the shell was opened.
  if (stdout.isTTY) resize();
  return () => {
    stdin.off('data', type);
    stdin.off('end', end);
    stdout.off('resize', resize);
    // A terminal that is read keeps the process.
    stdin.pause();
    stdin.unref();
  };
}

const NEWLINE = 0x0a;
const END_OF_INPUT = '\u0004';

function terminalSize(): TerminalSize {
  const { columns, rows } = process.stdout;
  return {
    columns: columns || DEFAULT_TERMINAL_SIZE.columns,
    rows: rows || DEFAULT_TERMINAL_SIZE.rows,
  };
}

function endWords({ event, problem, reason = '' }: TerminalEnd): string {
  switch (event) {
    case 'ended':
      return `the worker has ended: ${reason}`;
    case 'revoked':
      return 'the key of the connection is no longer valid';
    case 'failed':
      return PROBLEMS[problem ?? 'other'] ?? `a shell cannot be opened: ${reason}`;
    default:
      return 'the connection to the shell was lost; a new shell does not continue it';
  }
}

const PROBLEMS: Readonly<Record<string, string | undefined>> = {
  notContainer: 'the worker runs as a process on the machine of the platform, not in a container',
  noShell: 'the image contains neither bash nor sh',
};
