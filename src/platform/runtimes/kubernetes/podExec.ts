import type { WebSocket } from 'ws';
import * as z from 'zod';
import { type Clock, pause } from '../../time/clock.ts';
import { newExecMark, type ExecMark } from '../execPrograms.ts';
import { END_OF_INPUT, execInput, ExecOutputs, reasonOf } from '../execStreams.ts';
import { ExecError, type ExecRequest, type ExecSession, type TerminalSize } from '../runtime.ts';
import type { KubernetesApi } from './kubernetesApi.ts';
import { isBadCommand } from './podFailure.ts';
import { CONTAINER } from './podSpec.ts';

const V5 = 'v5.channel.k8s.io';
/** First choice first. The fourth version cannot close the input of a program. */
const PROTOCOLS = [V5, 'v4.channel.k8s.io'];

/** First byte of every message. */
const Channel = { stdin: 0, stdout: 1, stderr: 2, status: 3, size: 4, close: 255 } as const;

/** Time after which a program without an output or an error has started, in ms. Needed only for an image without a shell. */
const START_MS = 1_000;
/** Time in which processes are killed, in ms. */
const KILL_MS = 10_000;
/** Maximum size of a message of standard input, in bytes. */
const MAX_INPUT = 65_536;

/** Exit codes of a program that could not be started, on nodes with Docker. */
const NOT_STARTED: readonly (number | undefined)[] = [126, 127];

/** The result of a program, on its own channel. */
const Status = z.object({
  status: z.string().optional(),
  message: z.string().optional(),
  reason: z.string().optional(),
  details: z.object({ causes: z.array(z.object({ reason: z.string(), message: z.string() })).optional() }).optional(),
});
type Status = z.infer<typeof Status>;

export interface PodExecPlace {
  readonly api: KubernetesApi;
  /** Name of the pod. */
  readonly pod: string;
  /** Waits in real time. */
  readonly clock: Clock;
  /** Aborted once the worker has ended. Some nodes do not end the connections to its programs. */
  readonly ended: AbortSignal;
}

/**
 * Runs a program in a pod, as `RunningWorker.exec` describes. In an image without a shell, a program that fails to start after a second
 * counts as started, and its output fails.
 *
 * @throws ExecError; EngineError if the cluster refuses it or does not answer; the signal's reason
 */
export async function execInPod(place: PodExecPlace, request: ExecRequest, signal: AbortSignal): Promise<ExecSession> {
  const mark = newExecMark();
  const kill = async (): Promise<void> => {
    await PodExec.open(place, { command: mark.killCommand }).then(
      (killer) => killer.finish(),
      // The program ends with its pod.
      () => undefined,
    );
  };
  const wrapped = await PodExec.open(
    place,
    { ...request, command: wrapper(request, mark) },
    { isWrapped: true, signal },
  );
  try {
    if (await wrapped.isConfirmed(signal)) return wrapped.session(kill, signal);
  } catch (error) {
    if (!(error instanceof ExecError)) await kill();
    throw error;
  }
  // The image has no shell, so the start cannot be confirmed, and no program can kill another one.
  const bare = await PodExec.open(place, request, { signal });
  await bare.seemsStarted(signal);
  return bare.session(() => Promise.resolve(), signal);
}

/*
 * A cluster tells when a program could not be started or has ended, but not when it has started, and takes no variables. So a shell does both:
 * it prints one byte, and becomes the program.
 */
const STARTED = '+';
const MISSING = '-';

function wrapper({ command, terminal }: ExecRequest, { variable }: ExecMark): string[] {
  const variables = terminal ? `${variable} TERM=xterm-256color` : variable;
  const script = `export ${variables}
if command -v "$1" >/dev/null 2>&1; then printf %s ${STARTED}; exec "$@"; fi
printf %s ${MISSING}; exit 127`;
  return ['sh', '-c', script, 'sh', ...command];
}

class PodExec {
  readonly #clock: Clock;
  readonly #ended: AbortSignal;
  readonly #request: ExecRequest;
  readonly #socket: WebSocket;
  readonly #outputs = new ExecOutputs();
  /** Whether the next byte is the one of the wrapper. */
  #isWrapped: boolean;
  /** Resolves with the byte of the wrapper, or the first output without one; with undefined if the program ends before. */
  readonly #begun = Promise.withResolvers<string | undefined>();
  /** Resolves with the status of the cluster; with undefined if the connection ended without one. */
  readonly #over = Promise.withResolvers<Status | undefined>();

  /** Resolves once the cluster has accepted the connection. @throws EngineError; the signal's reason */
  static async open(
    place: PodExecPlace,
    request: ExecRequest,
    { isWrapped = false, signal }: { isWrapped?: boolean; signal?: AbortSignal } = {},
  ): Promise<PodExec> {
    const { command, terminal } = request;
    const options = { command, container: CONTAINER, tty: terminal !== undefined, protocols: PROTOCOLS };
    return new PodExec(await place.api.exec(place.pod, options, signal), place, { request, isWrapped });
  }

  private constructor(
    socket: WebSocket,
    { clock, ended }: PodExecPlace,
    { request, isWrapped }: { request: ExecRequest; isWrapped: boolean },
  ) {
    this.#clock = clock;
    this.#ended = ended;
    this.#request = request;
    this.#socket = socket;
    this.#isWrapped = isWrapped;
    socket.on('message', (data: Buffer) => this.#receive(data));
    socket.on('error', () => undefined);
    const end = (): void => socket.terminate();
    ended.addEventListener('abort', end, { once: true });
    if (ended.aborted) end();
    socket.on('close', () => {
      ended.removeEventListener('abort', end);
      this.#begun.resolve(undefined);
      this.#over.resolve(undefined);
    });
    if (request.terminal) this.#resize(request.terminal);
    socket.resume();
  }

  /** Waits for the byte of the wrapper. Resolves with false if the image has no shell. @throws ExecError; the signal's reason */
  async isConfirmed(signal: AbortSignal): Promise<boolean> {
    const byte = await this.#whileOpen(this.#begun.promise, signal);
    if (byte === STARTED) return true;
    const status = await this.#over.promise;
    this.#socket.terminate();
    if (byte === MISSING) throw new ExecError('noProgram', 'the image does not contain the program');
    // Nodes with Docker report a missing program as the output of a program.
    if (status && NOT_STARTED.includes(exitCodeOf(status))) return false;
    const error = startFailure(status);
    if (error.problem === 'noProgram') return false;
    throw error;
  }

  /** Waits for a sign of the program, or some time. @throws ExecError if it could not be started; the signal's reason */
  async seemsStarted(signal: AbortSignal): Promise<void> {
    const late = new AbortController();
    const waited = pause(this.#clock, START_MS, late.signal).then(() => '');
    const text = await this.#whileOpen(Promise.race([waited, this.#begun.promise]), signal);
    late.abort();
    if (text !== undefined && !isBadCommand(text)) return;
    const status = await this.#over.promise;
    const code = status && exitCodeOf(status);
    const isMissing = text !== undefined && NOT_STARTED.includes(code);
    if (code !== undefined && !isMissing) return;
    this.#socket.terminate();
    throw isMissing ? new ExecError('noProgram', text.trim()) : startFailure(status);
  }

  /** @param kill ends the program when its connection is lost or the signal is aborted */
  session(kill: () => Promise<void>, signal: AbortSignal): ExecSession {
    const outputs = this.#outputs;
    const abort = (): void => {
      this.#socket.terminate();
      outputs.fail(reasonOf(signal));
    };
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    // A node can ignore a size from before the start.
    if (this.#request.terminal) this.#resize(this.#request.terminal);
    const stdin = execInput(
      (bytes, callback) => this.#send(bytes, callback),
      (callback) => this.#endInput(callback),
    );
    const end = async (): Promise<number | undefined> => {
      const status = await this.#over.promise;
      signal.removeEventListener('abort', abort);
      stdin.destroy();
      this.#socket.terminate();
      const code = status && exitCodeOf(status);
      if (code !== undefined && !signal.aborted) {
        outputs.end();
        return code;
      }
      if (this.#ended.aborted) {
        outputs.fail(signal.aborted ? reasonOf(signal) : new ExecError('ended', 'the worker has ended'));
        return undefined;
      }
      if (signal.aborted || !status) await kill();
      outputs.fail(signal.aborted ? reasonOf(signal) : startFailure(status));
      return undefined;
    };
    return {
      ...{ stdin, stdout: outputs.stdout, stderr: outputs.stderr, exited: end() },
      resize: (size) => {
        if (this.#request.terminal) this.#resize(size);
        return Promise.resolve();
      },
    };
  }

  /** Resolves once the program has ended, or some time has passed. Ignores its output. */
  async finish(): Promise<void> {
    const late = new AbortController();
    this.#outputs.stdout.resume();
    this.#outputs.stderr.resume();
    await Promise.race([this.#over.promise, pause(this.#clock, KILL_MS, late.signal)]);
    late.abort();
    this.#socket.terminate();
  }

  #receive(data: Buffer): void {
    const [channel] = data;
    let bytes = data.subarray(1);
    // A node sends an empty message before it starts the program.
    if (bytes.length === 0) return;
    if (channel === Channel.status) {
      this.#over.resolve(statusIn(bytes));
      this.#begun.resolve(undefined);
      return;
    }
    if (channel !== Channel.stdout && channel !== Channel.stderr) return;
    const isConfirmation = this.#isWrapped && channel === Channel.stdout;
    if (isConfirmation) {
      this.#isWrapped = false;
      this.#begun.resolve(bytes.toString('latin1', 0, 1));
      bytes = bytes.subarray(1);
    } else if (!this.#isWrapped) this.#begun.resolve(bytes.toString());
    this.#socket.pause();
    void this.#outputs.write(channel === Channel.stdout ? 'stdout' : 'stderr', bytes).then(() => this.#socket.resume());
  }

  async #whileOpen<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
    const abort = (): void => this.#socket.terminate();
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    const result = await work;
    signal.removeEventListener('abort', abort);
    signal.throwIfAborted();
    return result;
  }

  #send(bytes: Buffer, callback: (error?: Error | null) => void): void {
    for (let at = 0; at < bytes.length; at += MAX_INPUT) {
      const end = at + MAX_INPUT;
      const message = Buffer.concat([Buffer.from([Channel.stdin]), bytes.subarray(at, end)]);
      this.#socket.send(message, end >= bytes.length ? callback : undefined);
    }
  }

  #endInput(callback: (error?: Error | null) => void): void {
    if (this.#request.terminal) this.#send(END_OF_INPUT, callback);
    else if (this.#socket.protocol === V5) this.#socket.send(Buffer.from([Channel.close, Channel.stdin]), callback);
    else callback();
  }

  #resize({ columns, rows }: TerminalSize): void {
    const size = Buffer.from(JSON.stringify({ Width: columns, Height: rows }));
    this.#socket.send(Buffer.concat([Buffer.from([Channel.size]), size]), () => undefined);
  }
}

function statusIn(bytes: Buffer): Status {
  try {
    return Status.parse(JSON.parse(bytes.toString()));
  } catch {
    return { message: bytes.toString() };
  }
}

/** Returns the exit code of a program; undefined if it could not be started, or its end is unknown. */
function exitCodeOf({ status, reason, details }: Status): number | undefined {
  if (status === 'Success') return 0;
  if (reason !== 'NonZeroExitCode') return undefined;
  const code = Number(details?.causes?.find((cause) => cause.reason === 'ExitCode')?.message);
  return Number.isInteger(code) ? code : undefined;
}

function startFailure(status: Status | undefined): ExecError {
  if (!status) return new ExecError('unreachable', 'the connection to the program was lost');
  const { message = 'the cluster does not run the program' } = status;
  return new ExecError(isBadCommand(message) ? 'noProgram' : 'other', message);
}
