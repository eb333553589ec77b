import type { DebugEvent } from '../../../../contract/control/controlWorkers.ts';

/* Debug configurations: that of the extension, and those of the debuggers to which it leads. */

/** Type of the debug configurations of this extension. */
export const DEBUG_TYPE = 'cloudCompute';
/** Property that connects a debug session to the worker that it holds. */
const HOLD_PROPERTY = '__cloudComputeHold';

/** Properties of `launch.json` for this extension. Other properties are passed to the debugger of the worker. */
export interface WorkerConfiguration {
  readonly type: typeof DEBUG_TYPE;
  readonly request: 'attach';
  readonly name: string;
  /** Name or ID. Without it, the user chooses an endpoint. */
  readonly endpoint?: string;
  /** ID. Default: any worker of the endpoint. */
  readonly worker?: string;
  /** Condition on the jobs to debug. Default: all jobs. */
  readonly condition?: string;
  /** Folder on this machine with the files of `remoteRoot`. Used for containers and pods. */
  readonly localRoot?: string;
  /** Directory in the container. Default: that of the worker. */
  readonly remoteRoot?: string;
  readonly [property: string]: unknown;
}

/** An opened debugger of a worker. */
export interface OpenDebugger {
  readonly language: 'node' | 'python';
  readonly host: string;
  readonly port: number;
  readonly directory: string;
  /** Identifies the debugger for the platform, if there is a condition. */
  readonly debuggerId: string | undefined;
}

/** Returns the debugger that an event announces; undefined for any other event, and for a language of a newer platform. */
export function openDebugger({
  event,
  language,
  host,
  port,
  directory,
  debuggerId,
}: DebugEvent): OpenDebugger | undefined {
  if (event !== 'ready' || host === undefined || port === undefined || directory === undefined) return undefined;
  if (language !== 'node' && language !== 'python') return undefined;
  return { language: language as OpenDebugger['language'], host, port, directory, debuggerId };
}

/** A configuration of VS Code for the debugger of a language. */
export interface LanguageConfiguration {
  readonly type: string;
  readonly request: 'attach';
  readonly name: string;
  readonly [property: string]: unknown;
}

/** Types of the debuggers of VS Code: the built-in one, and that of the Python Debugger extension. */
export const NODE_TYPE = 'node';
export const PYTHON_TYPE = 'debugpy';

/** Returns the configuration that attaches the debugger of the worker's language. */
export function languageConfiguration(
  configuration: WorkerConfiguration,
  { language, host, port, directory }: OpenDebugger,
  holdId: string,
): LanguageConfiguration {
  const { type, request, endpoint, worker, condition, localRoot, remoteRoot = directory, ...own } = configuration;
  const common = { request, [HOLD_PROPERTY]: holdId };
  if (language === 'python') {
    const mapped = localRoot !== undefined && { pathMappings: [{ localRoot, remoteRoot }] };
    return { justMyCode: true, ...mapped, ...own, ...common, type: PYTHON_TYPE, connect: { host, port } };
  }
  const roots = localRoot === undefined ? { cwd: directory } : { cwd: localRoot, localRoot, remoteRoot };
  const defaults = { ...roots, skipFiles: ['<node_internals>/**'], attachExistingChildren: false };
  return { ...defaults, ...own, ...common, type: NODE_TYPE, address: host, port };
}

/** Returns whether a changed configuration is that of this hold. */
export function holdOf(configuration: Readonly<Record<string, unknown>>): string | undefined {
  const id = configuration[HOLD_PROPERTY];
  return typeof id === 'string' ? id : undefined;
}
