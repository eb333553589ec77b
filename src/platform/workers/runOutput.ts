import * as z from 'zod';
import { ImportTimes } from '../domain/importTimes.ts';
import { LineSplitter } from '../logs/lineSplitter.ts';
import type { WorkerLogs } from '../logs/workerLogs.ts';
import type { LogOwner } from '../store/logStore.ts';
import type { OutputPosition, StartOptions } from '../runtimes/runtime.ts';

const LAST_LINES = 5;
/** Maximum length of each of the last lines, in characters. */
const LAST_LINE_LENGTH = 300;

const STREAMS = ['stdout', 'stderr'] as const;
type Stream = (typeof STREAMS)[number];

/** Position in the output of a run, which is stored with its lines. */
const StoredPosition = z.object({
  runId: z.string(),
  /** Starts of lines that have not ended. */
  rest: z.object({ stdout: z.string(), stderr: z.string() }),
  at: z.unknown(),
});
type StoredPosition = z.infer<typeof StoredPosition>;

interface RunOfWorker extends LogOwner {
  readonly runId: string;
}

/** Output of a process, split into lines for the log of its worker. */
export class RunOutput {
  /** Position after the stored output of a run that an earlier platform has started. Undefined for any other run. */
  readonly position: OutputPosition;
  readonly #streams: Readonly<Record<Stream, LineSplitter>>;
  /** Time of the newest chunk, which ends the lines that are reported. Undefined if the runtime does not know it. */
  #at: number | undefined;
  #positionOf: (() => OutputPosition) | undefined;
  readonly #owner: LogOwner;
  readonly #logs: Pick<WorkerLogs, 'note'>;
  lastLines: readonly string[] = [];
  /** Modules that the process loads. Undefined unless they are measured. */
  readonly imports: ImportTimes | undefined;

  /** @param measureImports returns the time, if the process writes the times of its imports to stderr. They are not part of the log. */
  constructor(run: RunOfWorker, logs: Pick<WorkerLogs, 'append' | 'note' | 'position'>, measureImports?: () => number) {
    const { runId, workerId, endpointId } = run;
    this.#owner = { workerId, endpointId };
    this.#logs = logs;
    const stored = storedPosition(logs.position(workerId), runId);
    this.position = stored?.at;
    const position = (): string => {
      const rest = { stdout: this.#streams.stdout.rest, stderr: this.#streams.stderr.rest };
      return JSON.stringify({ runId, rest, at: this.#positionOf?.() } satisfies StoredPosition);
    };
    const imports = (this.imports = measureImports && new ImportTimes());
    const now = measureImports ?? (() => 0);
    const onLines = (lines: readonly string[]): void => {
      if (lines.length === 0) return;
      logs.append(this.#owner, 'container', lines, this.#at, this.#positionOf && position);
      this.lastLines = [...this.lastLines, ...lines.slice(-LAST_LINES).map(shortened)].slice(-LAST_LINES);
    };
    // A cluster delivers both streams as stdout.
    const onOutput = imports
      ? (lines: readonly string[]) => onLines(lines.flatMap((line) => imports.read(line, this.#at ?? now()) ?? []))
      : onLines;
    this.#streams = {
      stdout: new LineSplitter(onOutput, stored?.rest.stdout),
      stderr: new LineSplitter(onOutput, stored?.rest.stderr),
    };
  }

  write: StartOptions['onOutput'] = (stream, chunk, at, position) => {
    this.#at = at;
    this.#positionOf = position;
    this.#streams[stream].write(chunk);
  };

  lost: NonNullable<StartOptions['onOutputLost']> = (from, until) => {
    this.#logs.note(this.#owner, { kind: 'outputLost', from, until });
  };

  end(): void {
    for (const stream of STREAMS) this.#streams[stream].end();
  }
}

function storedPosition(json: string | undefined, runId: string): StoredPosition | undefined {
  if (json === undefined) return undefined;
  const { data } = StoredPosition.safeParse(JSON.parse(json));
  return data?.runId === runId ? data : undefined;
}

/** Omits the middle of a long line, because an exception on a single line ends with its message. */
function shortened(line: string): string {
  const half = LAST_LINE_LENGTH / 2;
  return line.length <= LAST_LINE_LENGTH ? line : `${line.slice(0, half)} … ${line.slice(-half)}`;
}
