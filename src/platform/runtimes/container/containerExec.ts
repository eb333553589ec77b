import type { Duplex, Writable } from 'node:stream';
import { EngineError } from '../../../machine/engine/engineApi.ts';
import type { Engine } from '../../../machine/engine/engine.ts';
import { type Clock, pause } from '../../time/clock.ts';
import { execVariables, newExecMark } from '../execPrograms.ts';
import { END_OF_INPUT, execInput, ExecOutputs, reasonOf } from '../execStreams.ts';
import { ExecError, type ExecRequest, type ExecSession, type TerminalSize } from '../runtime.ts';
import { inspectContainer } from './engineRequests.ts';
import { framesIn } from './containerLog.ts';
import { hasEnded } from './containerState.ts';
import { isBadCommand } from './engineFailure.ts';

/** A container in which programs run. */
export interface ExecPlace {
  readonly engine: Engine;
  readonly containerId: string;
  /** Waits in real time. */
  readonly clock: Clock;
}

/** The parts of `GET /exec/{id}/json` that both engines send. */
interface ExecState {
  readonly Running: boolean;
  /** 0 until the program has started. Podman sends 0 after its end, too. */
  readonly Pid: number;
  readonly ExitCode?: number | null;
}

/** Limit for requests about a program, in ms. A busy engine takes seconds. */
const TIMEOUT_MS = 120_000;
/** Time between two questions about the state of a program, in ms. */
const POLL_MS = 20;
/** Number of questions after the end of the output, after which the connection counts as lost although the program runs. */
const MAX_END_POLLS = 500;
/** Maximum length of the output of a program that may not have started, in bytes. */
const MAX_MESSAGE_LENGTH = 65_536;
/** Exit codes of a program that could not be started. */
const NOT_STARTED: readonly (number | null | undefined)[] = [126, 127];
const NOT_FOUND = 404;

/**
 * Runs a program in a container, as `RunningWorker.exec` describes.
 *
 * @throws ExecError; the signal's reason
 */
export async function execInContainer(
  place: ExecPlace,
  request: ExecRequest,
  signal: AbortSignal,
): Promise<ExecSession> {
  const mark = newExecMark();
  const exec = new ContainerExec(place, request);
  const kill = (): Promise<void> => runDetached(place, mark.killCommand);
  try {
    await exec.create(execVariables(request, mark), signal);
    return await exec.start(kill, signal);
  } catch (error) {
    // The engine may have started the program nevertheless.
    if (!(error instanceof ExecError)) await kill();
    signal.throwIfAborted();
    throw await execFailure(place, error);
  }
}

/** Starts a program without a connection. Ignores failures. */
async function runDetached({ engine, containerId }: ExecPlace, command: readonly string[]): Promise<void> {
  const { api, prefix } = engine;
  const post = { method: 'POST', timeoutMs: TIMEOUT_MS } as const;
  const path = `${prefix}/containers/${containerId}/exec`;
  try {
    const { Id: id } = await api.json<{ Id: string }>({ ...post, path, body: { Cmd: command } });
    await api.json({ ...post, path: `${prefix}/exec/${id}/start`, body: { Detach: true } });
  } catch {
    // The program ends with its container.
  }
}

async function execFailure({ engine, containerId }: ExecPlace, error: unknown): Promise<unknown> {
  if (!(error instanceof EngineError)) return error;
  const because = (problem: ExecError['problem']) => new ExecError(problem, error.message, { cause: error });
  if (error.unreachable) return because('unreachable');
  if (isBadCommand(error.message)) return because('noProgram');
  const container = await inspectContainer(engine, containerId).catch(() => null);
  const isOver = container === undefined || (container?.State && hasEnded(container.State));
  return because(isOver ? 'ended' : 'other');
}

class ContainerExec {
  readonly #place: ExecPlace;
  readonly #request: ExecRequest;
  #id = '';

  constructor(place: ExecPlace, request: ExecRequest) {
    this.#place = place;
    this.#request = request;
  }

  /** @throws EngineError; the signal's reason */
  async create(variables: readonly string[], signal: AbortSignal): Promise<void> {
    const { engine, containerId } = this.#place;
    const { command, terminal } = this.#request;
    const Tty = terminal !== undefined;
    const { Id: id } = await engine.api.json<{ Id: string }>({
      ...{ method: 'POST', path: `${engine.prefix}/containers/${containerId}/exec`, timeoutMs: TIMEOUT_MS, signal },
      body: { Cmd: command, Env: variables, Tty, AttachStdin: true, AttachStdout: true, AttachStderr: !Tty },
    });
    this.#id = id;
  }

  /**
   * Starts the program.
   *
   * @param kill ends the program when its connection is lost or the signal is aborted
   * @throws EngineError; ExecError; the signal's reason
   */
  async start(kill: () => Promise<void>, signal: AbortSignal): Promise<ExecSession> {
    const { terminal } = this.#request;
    const body = { Detach: false, Tty: terminal !== undefined };
    const start = { method: 'POST', path: this.#path('start'), body, signal, timeoutMs: TIMEOUT_MS } as const;
    const socket = await this.#place.engine.api.upgrade(start, 'tcp');
    // The reader of the socket sees its errors.
    socket.on('error', () => undefined);
    const outputs = new ExecOutputs();
    const stdin = this.#input(socket);
    const abort = (): void => {
      socket.destroy();
      outputs.fail(reasonOf(signal));
    };
    signal.addEventListener('abort', abort, { once: true });
    let first: Buffer;
    try {
      first = await this.#untilStarted(socket, signal);
      if (terminal) await this.#resize(terminal);
    } catch (error) {
      signal.removeEventListener('abort', abort);
      socket.destroy();
      throw error;
    }
    const exited = this.#deliver(concatenated(first, socket), outputs, signal)
      .then(
        (code) => {
          outputs.end();
          return code;
        },
        async (error: unknown) => {
          socket.destroy();
          await kill();
          const lost = new ExecError('unreachable', 'the connection to the program was lost', { cause: error });
          outputs.fail(signal.aborted ? reasonOf(signal) : lost);
          return undefined;
        },
      )
      .finally(() => {
        signal.removeEventListener('abort', abort);
        stdin.destroy();
      });
    const resize = async (size: TerminalSize): Promise<void> => (terminal ? this.#resize(size) : undefined);
    return { stdin, stdout: outputs.stdout, stderr: outputs.stderr, exited, resize };
  }

  /**
   * Waits until the program runs or has ended, because the engine accepts the connection before. Resolves with the output that was read.
   *
   * @throws ExecError if the program could not be started
   */
  async #untilStarted(socket: Duplex, signal: AbortSignal): Promise<Buffer> {
    const nothing = Buffer.alloc(0);
    for (;;) {
      const state = await this.#state(signal);
      if (!state) throw new ExecError('ended', 'the container has ended');
      if (state.Running && state.Pid > 0) return nothing;
      if (!state.Running && typeof state.ExitCode === 'number') {
        if (state.Pid > 0 || !NOT_STARTED.includes(state.ExitCode)) return nothing;
        const output = await beginning(socket);
        const text = (await this.#textIn(output)).trim();
        // Podman does not tell whether such a program has run.
        if (this.#place.engine.name === 'Podman' && !isBadCommand(text)) return output;
        throw new ExecError(isBadCommand(text) ? 'noProgram' : 'other', text);
      }
      await pause(this.#place.clock, POLL_MS, signal);
    }
  }

  async #textIn(output: Buffer): Promise<string> {
    if (this.#request.terminal) return output.toString();
    let text = '';
    for await (const { content } of framesIn(concatenated(output))) text += content.toString();
    return text;
  }

  /** Delivers the output, and resolves with the exit code. Rejects if the connection is lost. */
  async #deliver(chunks: AsyncIterable<Buffer>, outputs: ExecOutputs, signal: AbortSignal) {
    if (this.#request.terminal) for await (const chunk of chunks) await outputs.write('stdout', chunk);
    else for await (const { stream, content } of framesIn(chunks)) await outputs.write(stream, content);
    for (let polls = 0; polls < MAX_END_POLLS; polls++) {
      const state = await this.#state(signal);
      // The engine forgets its programs with their container.
      if (!state?.Running) return state?.ExitCode ?? undefined;
      await pause(this.#place.clock, POLL_MS, signal);
    }
    throw new Error('the output has ended, but the program has not');
  }

  #input(socket: Duplex): Writable {
    const send = (bytes: Buffer, callback: (error?: Error | null) => void): void => void socket.write(bytes, callback);
    return execInput(send, (callback) => {
      if (this.#request.terminal) send(END_OF_INPUT, callback);
      else socket.end(callback);
    });
  }

  /** Ignores the engine's errors, because the program may have ended. */
  async #resize({ columns, rows }: TerminalSize): Promise<void> {
    const { api } = this.#place.engine;
    const query = { w: columns, h: rows };
    await api
      .json({ method: 'POST', path: this.#path('resize'), query, timeoutMs: TIMEOUT_MS })
      .catch((error: unknown) => {
        if (!(error instanceof EngineError)) throw error;
      });
  }

  /** Resolves with undefined if the engine does not know the program any more. @throws EngineError; the signal's reason */
  async #state(signal: AbortSignal): Promise<ExecState | undefined> {
    const request = { path: this.#path('json'), signal, timeoutMs: TIMEOUT_MS };
    try {
      return await this.#place.engine.api.json<ExecState>(request);
    } catch (error) {
      if (error instanceof EngineError && error.status === NOT_FOUND) return undefined;
      throw error;
    }
  }

  #path(action: 'start' | 'resize' | 'json'): string {
    return `${this.#place.engine.prefix}/exec/${this.#id}/${action}`;
  }
}

/** Resolves with the beginning of a stream, or all of a short one. */
async function beginning(socket: Duplex): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    if ((size += chunk.length) > MAX_MESSAGE_LENGTH) break;
  }
  return Buffer.concat(chunks);
}

async function* concatenated(first: Buffer, rest?: Duplex): AsyncGenerator<Buffer, void, undefined> {
  if (first.length > 0) yield first;
  if (rest && !rest.readableEnded) yield* rest as AsyncIterable<Buffer>;
}
