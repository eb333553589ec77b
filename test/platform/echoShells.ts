import { PassThrough } from 'node:stream';
import { ExecError, type ExecRequest, type TerminalSize } from '../../src/platform/runtimes/runtime.ts';
import { stubRuntime, stubWorker, type StubWorker } from './stubRuntime.ts';
import { eventually, platformForTest } from './support.ts';

/** A shell that sends its input back. */
export class EchoShell {
  readonly request: ExecRequest;
  readonly sizes: TerminalSize[] = [];
  readonly stdin = new PassThrough();
  readonly stderr = new PassThrough();
  readonly exit = Promise.withResolvers<number | undefined>();
  readonly signal: AbortSignal;

  constructor(request: ExecRequest, signal: AbortSignal) {
    this.request = request;
    this.signal = signal;
    signal.addEventListener('abort', () => {
      this.stdin.destroy();
      this.exit.resolve(undefined);
    });
  }

  get session() {
    return {
      ...{ stdin: this.stdin, stdout: this.stdin, stderr: this.stderr, exited: this.exit.promise },
      resize: (size: TerminalSize) => Promise.resolve(void this.sizes.push(size)),
    };
  }

  end(code: number | undefined): void {
    this.stdin.end();
    this.exit.resolve(code);
  }
}

export interface ShellSetup {
  readonly programs?: readonly string[];
  readonly failure?: ExecError;
  readonly isProcess?: boolean;
}

/** Starts a platform with one worker, in whose container shells can run. */
export async function platformWithWorker({ programs = ['sh'], failure, isProcess = false }: ShellSetup = {}) {
  const shells: EchoShell[] = [];
  const workers: StubWorker[] = [];
  const exec = (request: ExecRequest, signal: AbortSignal) => {
    if (failure) return Promise.reject(failure);
    if (!programs.includes(request.command[0] ?? '')) return Promise.reject(new ExecError('noProgram', 'not found'));
    const shell = new EchoShell(request, signal);
    shells.push(shell);
    return Promise.resolve(shell.session);
  };
  const start = () => {
    const own = stubWorker();
    const stop = async (graceMs: number): Promise<void> => {
      await own.stop(graceMs);
      // A container ends all its programs.
      for (const shell of shells) shell.end(137);
    };
    const worker = { ...own, label: 'container 1', stop, ...(isProcess ? {} : { exec }) };
    workers.push(worker);
    return Promise.resolve(worker);
  };
  const { api, platform } = await platformForTest({ createRuntime: () => stubRuntime(start) });
  const changes = { image: 'example/worker:1', workers: { min: 1, max: 1 } };
  const endpoint = await api.createEndpoint(changes);
  await eventually('the worker runs', () => workers.length === 1);
  const [worker] = await api.workers(endpoint);
  return { api, platform, endpoint, workerId: worker?.id ?? '', shells };
}
