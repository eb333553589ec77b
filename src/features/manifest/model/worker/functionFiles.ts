import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { detectHandler, usesGpu } from '../starters/detectHandler.ts';
import { EXAMPLE, type PythonFunction } from './pythonFunctions.ts';
import { DOCKERIGNORE, dockerfile, endpointManifest, jobFile, type NewFile, type SourceTexts } from './workerFiles.ts';

/* The files that make a Python function an endpoint. */

/** The package of the public worker SDK. */
const SDK_PACKAGE = 'runpod';
const SDK_REQUIREMENT = `${SDK_PACKAGE}>=1.10.1,<2`;

export interface FunctionSource {
  /** Name of the endpoint. */
  readonly name: string;
  readonly function: PythonFunction;
  /** Name of its file. */
  readonly file: string;
  /** Text of its file. */
  readonly text: string;
  /** Python interpreter: a name, or a path relative to the folder of the file. */
  readonly python: string;
  /** Text of an existing file in the folder, or undefined. */
  readonly textOf: (file: string) => string | undefined;
}

/** Returns whether a Python file can be imported by another file of its folder. */
export function isImportable(file: string, text: string): boolean {
  return /^[A-Za-z_]\w*\.py$/.test(file) && !/^[ \t]*from[ \t]+\./m.test(text);
}

/**
 * Returns a name for the endpoint of a function: its own, or that of its file or folder if it says little.
 *
 * @param file path with slashes
 */
export function functionEndpointName(file: string, name: string): string {
  const folder = path.posix.basename(path.posix.dirname(file));
  const names = [name, path.posix.parse(file).name, folder];
  const telling = names.find((one) => !COMMON_NAMES.includes(one)) ?? name;
  return (
    telling
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 60) || 'hello'
  );
}

const COMMON_NAMES = ['handler', 'handle', 'main', 'run', 'process', 'predict', 'app', 'worker', 'src', ''];

/** Returns the files to write beside the file of a function. None of them exists. The first one is the manifest. */
export function functionFiles(source: FunctionSource, sources: SourceTexts): NewFile[] {
  const { name, function: fn, file, text, python, textOf } = source;
  const requirements = textOf('requirements.txt');
  const startsItself = detectHandler(file, text)?.kind === 'queue';
  const usesSdk = new RegExp(`^\\s*(?:import|from)\\s+${SDK_PACKAGE}\\b`, 'm').test(text) || mentionsSdk(requirements);
  const free = (names: readonly string[]) => names.find((one) => textOf(one) === undefined) ?? `${name}-${names[0]}`;
  // A file with the same text is from an earlier endpoint of this folder.
  const loop = ['serverless.py', 'worker_loop.py'].find((one) =>
    [undefined, sources['serverless.py']].includes(textOf(one)),
  );
  const module = usesSdk ? undefined : path.posix.parse(loop ?? 'serverless.py').name;
  const entry = startsItself ? file : free(['worker.py', `${fn.name}_worker.py`]);
  const docker = free(['Dockerfile', `${name}.Dockerfile`]);
  const hasPackages = requirements !== undefined || usesSdk;
  const files: readonly (NewFile | false)[] = [
    {
      path: `${name}.endpoint.yaml`,
      text: endpointManifest({
        ...{ name, type: 'QUEUE', hardware: usesGpu(text) ? 'gpu' : 'cpu', directory: '.' },
        build: docker === 'Dockerfile' ? { context: '.' } : { dockerfile: docker },
        command: `${python} -u ${entry}`,
      }),
    },
    { path: `${name}.job.json`, text: jobFile(inputOf(fn), { status: 'COMPLETED' }) },
    !startsItself && { path: entry, text: entryText(fn, path.posix.parse(file).name, module) },
    !startsItself && module !== undefined && { path: `${module}.py`, text: sources['serverless.py'] },
    usesSdk && requirements === undefined && { path: 'requirements.txt', text: `${SDK_REQUIREMENT}\n` },
    { path: docker, text: dockerfile({ language: 'python', entry, hasPackages }) },
    { path: '.dockerignore', text: DOCKERIGNORE },
  ];
  const wanted = files.filter((one) => one !== false);
  return wanted.filter(({ path: one }, index) => index < 2 || textOf(one) === undefined);
}

function mentionsSdk(requirements = ''): boolean {
  return new RegExp(`^\\s*${SDK_PACKAGE}\\b`, 'mi').test(requirements);
}

/** Returns an input with the members that the function reads. */
function inputOf({ isHandler, parameter, annotation, input }: PythonFunction): Record<string, unknown> {
  if (isHandler) return input;
  const values: Readonly<Record<string, unknown>> = { int: 1, float: 1.5, bool: true, list: [], dict: {} };
  return { [parameter]: values[/^\w+/.exec(annotation ?? '')?.[0] ?? ''] ?? EXAMPLE };
}

/** Returns the file that starts a worker with a function. @param loop module of the worker loop, or undefined for the SDK */
function entryText(fn: PythonFunction, module: string, loop: string | undefined): string {
  const { name, isHandler, isGenerator } = fn;
  const start =
    loop === undefined
      ? `from ${SDK_PACKAGE} import serverless`
      : `import ${loop}${loop === 'serverless' ? '' : ' as serverless'}`;
  const config = `{"handler": ${isHandler ? name : 'handle'}${isGenerator ? ', "return_aggregate_stream": True' : ''}}`;
  return [
    `"""${l10n.t`Starts a worker with the function ${name} of ${module}.py.`}"""`,
    `${start}\nfrom ${module} import ${name}`,
    ...(isHandler ? [] : [`\n${adapter(fn)}\n`]),
    `serverless.start(${config})\n`,
  ].join('\n\n');
}

/** Returns a handler that passes the members of the input as arguments. */
function adapter({ name, isAsync, isGenerator }: PythonFunction): string {
  const call = `${name}(**job["input"])`;
  const body = !isGenerator
    ? `    return ${isAsync ? 'await ' : ''}${call}`
    : isAsync
      ? `    async for value in ${call}:\n        yield value`
      : `    yield from ${call}`;
  return `${isAsync ? 'async ' : ''}def handle(job):\n    """${l10n.t('The members of the input are the arguments of the function.')}"""\n${body}`;
}
