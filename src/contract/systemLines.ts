import { PROCESS_IMAGE_PREFIX } from './processImage.ts';

/*
 * Lines of a worker's log with the source `system`. Events of the log stream have no field for the subject of a line. The local platform
 * therefore writes its lines from these templates, and the extension parses them with the same templates. Lines of other platforms are
 * parsed with patterns.
 */

const templates = {
  created: 'create worker {workerId} for endpoint {endpoint}',
  starting: 'start {command} ({image})',
  pulling: 'pulling the image',
  pullingPercent: 'pulling the image: {percent} %',
  localCopy: "running the engine's copy of the image: {reason}",
  otherMachine:
    'the image is built for {image}, and the machine of the engine has {engine}; if the worker ends with an exec format error, build the image for {engine}',
  /** `label` names a process of a runtime, such as `process 123`. */
  started: '{label} started',
  /** `names` are those of `x-local.preload`. */
  preloading: 'preload: load {names}',
  preloadSlow: 'preload: {names} not loaded after {seconds} s',
  preloaded: 'preload: {names} loaded in {seconds} s; they stay loaded when the worker restarts',
  preloadOutdated: 'preload: load again, because {file} has changed',
  forked: 'forked in {ms} ms; {names} stayed loaded',
  notForked: 'preload: the worker starts as a whole, because {reason}',
  /** A restarted platform follows the process of the previous one. */
  adopted: 'the platform has restarted, and continues with {label}',
  stillStarting: 'worker is still starting: {finding}; {advice}',
  slowStart: 'not ready {seconds} s after its start: {missing}',
  ready: 'worker is ready',
  notReady: 'worker is not ready: {reason}',
  notStarted: 'the worker cannot be started: {reason}',
  /** Like `notStarted`, for a known problem. `START_PROBLEMS` has the words for `problem`. */
  notStartedBecause: 'the worker cannot be started ({problem}): {reason}',
  /** No machine of the cluster has room for the worker. The reason is the scheduler's. */
  waitingForPlace: 'waiting for a machine with room for the worker: {reason}',
  waitingForGpus: 'waiting for free GPUs ({count} needed, {total} on this machine)',
  engineUnreachable: 'worker is unhealthy: the engine that runs it cannot be reached: {reason}',
  engineReachable: 'the engine that runs the worker can be reached again',
  waitingForSlot: 'this machine runs its maximum number of workers ({limit}); waiting for a free slot',
  frozen: 'scaled down: the process is frozen, for a fast start (FlashBoot)',
  resumed: 'resumed from standby',
  debugging: 'debugging started: time limits and scaling do not end the worker',
  terminalOpened: 'a terminal was opened by {who}',
  terminalClosed: 'the terminal was closed by {who}',
  restarting: 'restart worker: {reason}',
  stopping: 'stop worker: {reason}',
  retired: '{reason}: the worker ends when it has finished its work',
  /** An intended exit. In this template and the next two, `exitWords` writes `how`, and `exitOf` parses it. */
  ended: 'process {how}',
  failed: "the worker's process {how} after {seconds} s; its last lines:",
  failedSilently: "the worker's process {how} after {seconds} s, without any output",
  /** One of the last lines of the process, repeated after `failed`. */
  output: '    {line}',
  unhealthy: 'worker is unhealthy (failure {failures} in a row); next start in {seconds} s',
  sharedState:
    "version {version} of the worker's SDK keeps its jobs in a file that all workers on this machine share, so some workers stop taking jobs: update the SDK to 1.10.1 or newer, or set the maximum of workers to 1",
  requestFailed: 'request failed: {reason}',
  reportLeftOut: 'a progress report of job {jobId} was omitted: {reason}',
  webhookFailed: 'the webhook of job {jobId} was not delivered: {reason}',
  linesLost: '{count} log lines were lost because they could not be stored: {reason}',
  /** The engine replaced a file of its log while the platform could not read it. */
  outputLost: 'output between {from} and {until} was lost: the engine no longer has it in its log',
  linesDropped: 'the oldest {count} lines, up to {until}, were dropped: {limit}',
} as const;

type Templates = typeof templates;
type FieldsOf<Template> = Template extends `${string}{${infer Field}}${infer Rest}` ? Field | FieldsOf<Rest> : never;
type Line<Value> = {
  readonly [Kind in keyof Templates]: { readonly kind: Kind } & Readonly<Record<FieldsOf<Templates[Kind]>, Value>>;
}[keyof Templates];

/** A line that the local platform writes. */
export type SystemLine = Line<string | number>;

/** A line of any platform, including kinds that only other platforms write. */
export type ReadLine =
  | Line<string>
  | { readonly kind: 'containerStarting' }
  | { readonly kind: 'imageUnavailable'; readonly reason: string };

/**
 * Returns the line as one line. Control characters of its fields are escaped as in JSON, so that a field, such as a command, cannot
 * imitate further lines. The output of a process keeps its colors.
 */
export function writeSystemLine(line: SystemLine): string {
  const fields = line as Readonly<Record<string, string | number>>;
  const shown = line.kind === 'output' ? withoutBreaks : withoutControls;
  return templates[line.kind].replace(/\{(\w+)\}/g, (_, name: string) => shown(String(fields[name])));
}

const withoutControls = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]/gu, escaped);
const withoutBreaks = (text: string): string => text.replace(/[\n\u2028\u2029]/g, escaped);

/** JSON escapes the control characters of ASCII only. */
function escaped(character: string): string {
  const json = JSON.stringify(character).slice(1, -1);
  return json === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : json;
}

/**
 * Parses a system line. Returns undefined for an unknown line. A field ends at the first occurrence of the text that follows it in its
 * template.
 */
export function readSystemLine(line: string): ReadLine | undefined {
  for (const template of parsedTemplates) {
    const fields = fieldsIn(line, template);
    const read = fields && ({ kind: template.kind, ...fields } as Line<string>);
    if (read && isPossible(read)) return read;
  }
  return readForeignLine(line);
}

/** Returns false for a line of another platform that happens to match a template that begins with "start" or "process". */
function isPossible(line: Line<string>): boolean {
  switch (line.kind) {
    case 'starting':
      return line.image.startsWith(PROCESS_IMAGE_PREFIX) || !/\s/.test(line.image);
    case 'started':
      return /^(process|container|pod) \S+$/.test(line.label);
    case 'ended':
      return exitIn(line.how) !== undefined;
    default:
      return true;
  }
}

interface Template {
  readonly kind: keyof Templates;
  /** Texts before, between, and after the fields. */
  readonly texts: readonly string[];
  readonly names: readonly string[];
}

const parsedTemplates = Object.entries(templates).map(([kind, template]): Template => {
  const parts = template.split(/\{(\w+)\}/);
  const isText = (_: string, index: number): boolean => index % 2 === 0;
  const isName = (_: string, index: number): boolean => index % 2 === 1;
  return { kind: kind as keyof Templates, texts: parts.filter(isText), names: parts.filter(isName) };
});

/** Returns the fields of a line, or undefined if the line does not match the template. Takes linear time. */
function fieldsIn(line: string, { texts, names }: Template): Record<string, string> | undefined {
  const [head = '', ...rest] = texts;
  if (names.length === 0) return line === head ? {} : undefined;
  const tail = rest.at(-1) ?? '';
  if (!line.startsWith(head) || !line.endsWith(tail)) return undefined;
  const fields: Record<string, string> = {};
  let at = head.length;
  for (const [index, name] of names.entries()) {
    const text = rest[index] ?? '';
    const end = index === names.length - 1 ? line.length - text.length : line.indexOf(text, at);
    if (end < at) return undefined;
    fields[name] = line.slice(at, end);
    at = end + text.length;
  }
  return fields;
}

/** Exit of a worker's process. */
export interface WorkerExit {
  readonly code?: number;
  /** Such as `SIGKILL`. */
  readonly signal?: string;
  readonly outOfMemory?: true;
  /** The worker filled its disk. */
  readonly outOfDisk?: true;
}

/** Describes the exit of a process, as the predicate of a sentence. */
export function exitWords({ code, signal, reason }: ProcessExit): string {
  const how = signal === null ? `exited with code ${code ?? 'unknown'}` : `was ended by ${signal}`;
  return reason === undefined ? how : `${how} (${REASONS[reason]})`;
}

/** The end of a process as a runtime reports it. */
export interface ProcessExit {
  /** null if a signal ended the process. */
  readonly code: number | null;
  readonly signal: string | null;
  /** Omitted if the runtime does not know it. */
  readonly reason?: 'outOfMemory' | 'outOfDisk' | 'evicted' | 'nodeLost' | 'otherImage' | undefined;
}

const REASONS: Readonly<Record<NonNullable<ProcessExit['reason']>, string>> = {
  outOfMemory: 'out of memory',
  outOfDisk: 'out of disk space',
  evicted: 'evicted from its node',
  nodeLost: 'its node was lost',
  otherImage: 'its image differed from that of its release',
};

/** Returns the exit that a line reports, or undefined for any other line. */
export function exitOf(line: ReadLine | undefined): WorkerExit | undefined {
  return line && 'how' in line ? exitIn(line.how) : undefined;
}

const EXIT_CODE = /\bexit(?:ed|s)?(?: with)?(?: status| code)?[ :=]+(\d+)\b/i;
const SIGNAL = /\bended by (SIG[A-Z0-9]+)/;
const OUT_OF_DISK = /\bout of disk space\b/i;
const OUT_OF_MEMORY = /\boom[- ]?killed\b|\bout of memory\b/i;

function exitIn(text: string): WorkerExit | undefined {
  const signal = SIGNAL.exec(text)?.[1];
  const code = EXIT_CODE.exec(text)?.[1];
  const exit = signal !== undefined ? { signal } : code === undefined ? undefined : { code: Number(code) };
  if (OUT_OF_DISK.test(text)) return { ...exit, outOfDisk: true };
  return OUT_OF_MEMORY.test(text) ? { ...exit, outOfMemory: true } : exit;
}

const READY = /\bworker is ready\b/i;
const NOT_READY = /\bworker is not ready: (.+)$/i;
const NOT_STARTED = /\bcannot be started: (.+)$/i;
const INDENTED = /^\s{2,}\S/;
/** Signs of a failed image pull. Each is one phrase, or two phrases in this order with any text between them. */
const PULL: readonly (readonly [RegExp, RegExp?])[] = [
  [/\bpull access denied\b/i],
  [/\bmanifest\b/i, /\b(?:unknown|not found)\b/i],
  [/\b(?:failed|error|unable)\b/i, /\bpull(?:ing)?\b/i],
  [/\bimage\b/i, /\b(?:not found|does not exist)\b/i],
  [/\brepository does not exist\b/i],
  [/\bauthentication required\b/i],
  [/\btoomanyrequests\b/i],
];

/** Parses a line of a platform with undocumented wording, with patterns that such lines share. */
function readForeignLine(line: string): ReadLine | undefined {
  if (READY.test(line)) return { kind: 'ready' };
  if (isAboutPulling(line)) return { kind: 'imageUnavailable', reason: line };
  const notStarted = NOT_STARTED.exec(line)?.[1];
  if (notStarted !== undefined) return { kind: 'notStarted', reason: notStarted };
  if (exitIn(line)) return { kind: 'ended', how: line };
  if (isStart(line)) return { kind: 'containerStarting' };
  const notReady = NOT_READY.exec(line)?.[1];
  if (notReady !== undefined) return { kind: 'notReady', reason: notReady };
  return INDENTED.test(line) ? { kind: 'output', line: line.trimStart() } : undefined;
}

/** Searches for each phrase once. A pattern with `.*` between the phrases would restart at each first phrase, in quadratic time. */
function isAboutPulling(line: string): boolean {
  return PULL.some(([first, second]) => {
    const found = first.exec(line);
    return found !== null && (second?.test(line.slice(found.index + found[0].length)) ?? true);
  });
}

/** Matches `start container …`, in any case, and `START <name> (<image>)`. */
function isStart(line: string): boolean {
  if (/^start container\b/i.test(line)) return true;
  if (!/^start /i.test(line) || !line.endsWith(')')) return false;
  const lastWord = line.split(/\s/).at(-1) ?? '';
  const open = lastWord.indexOf('(');
  return open >= 0 && open < lastWord.length - 2;
}
