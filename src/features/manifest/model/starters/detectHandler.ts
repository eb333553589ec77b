import path from 'node:path';
import { ROUTE_ENVIRONMENT } from '../../../../contract/route.ts';

/* Detection of workers in source files, by content. */

/** A source file that starts a worker. */
export interface Handler {
  /** Name of the file, without its folder. */
  readonly file: string;
  readonly language: 'python' | 'node';
  /** `queue`: takes jobs with a worker SDK. `server`: responds to HTTP requests. */
  readonly kind: 'queue' | 'server';
  /** An application object that another program must serve, because the file starts no server. */
  readonly app?: { readonly framework: 'asgi' | 'flask'; readonly variable: string } | undefined;
  /** Whether a server reads its port from the environment. */
  readonly readsPort: boolean;
  /** Fixed port of a server, if the file contains one. */
  readonly port?: number | undefined;
  /** Path of a server's health check, if the file contains one of the usual paths. */
  readonly healthPath?: string | undefined;
  /** Whether the file imports a library that uses GPUs. */
  readonly usesGpu: boolean;
}

/** Matches files that can be workers. */
export const HANDLER_GLOB = '**/*.{py,js,mjs,cjs}';

/** Folders of dependencies, build output, and tests. They are not searched. */
export const SKIPPED_FOLDERS: readonly string[] = [
  ...['node_modules', 'bower_components', '.venv', 'venv', 'env', 'site-packages', '__pycache__', '.tox', '.git'],
  ...['dist', 'build', 'out', 'coverage', 'vendor', 'test', 'tests', '__tests__'],
];

export const TEST_FILE = /(^test_|_test\.py$|\.(test|spec)\.[cm]?js$|^conftest\.py$|\.config\.[cm]?js$|\.min\.js$)/;

/** Returns the worker that a source file starts, or undefined. Takes time that is linear in the length of the text. */
export function detectHandler(file: string, text: string): Handler | undefined {
  if (TEST_FILE.test(file)) return undefined;
  const code = text.replaceAll(/^[ \t]*(?:#|\/\/|\/?\*).*$/gm, '');
  return file.endsWith('.py') ? pythonHandler(file, code) : nodeHandler(file, code);
}

const SDK_START = /\bserverless\s*\.\s*start\s*\(/;
const GPU_LIBRARY = /^[ \t]*(?:import|from)[ \t]+(?:torch|tensorflow|jax|cupy|vllm|diffusers|transformers)\b/m;

/** Returns whether a Python file imports a library that uses GPUs. */
export function usesGpu(text: string): boolean {
  return GPU_LIBRARY.test(text);
}

const PYTHON_APP = /^(\w+)[ \t]*(?::[^=\n]*)?=[ \t]*(?:\w+\.)*(FastAPI|Starlette|Quart|Flask)[ \t]*\(/m;
const PYTHON_SERVER =
  /\b(?:HTTPServer|ThreadingHTTPServer|make_server|run_app|waitress\.serve)\s*\(|\b(?:uvicorn|hypercorn)\.(?:run|Server)\s*\(/;
const PYTHON_PORT = new RegExp(
  String.raw`\b(?:environ(?:\.get)?|getenv)\s*[([]\s*['"]${ROUTE_ENVIRONMENT.port.name}['"]`,
);

function pythonHandler(file: string, code: string): Handler | undefined {
  const usesGpu = GPU_LIBRARY.test(code);
  if (SDK_START.test(code)) return { file, language: 'python', kind: 'queue', readsPort: false, usesGpu };
  const [, variable, framework] = PYTHON_APP.exec(code) ?? [];
  const startsItself = PYTHON_SERVER.test(code) || (variable !== undefined && code.includes(`${variable}.run(`));
  if (variable === undefined && !startsItself) return undefined;
  const isImportable = /^[A-Za-z_]\w*\.py$/.test(file);
  const app =
    variable === undefined || startsItself || !isImportable
      ? undefined
      : { framework: framework === 'Flask' ? ('flask' as const) : ('asgi' as const), variable };
  return {
    ...{ file, language: 'python', kind: 'server', usesGpu, ...serverFacts(code) },
    app,
    readsPort: app !== undefined || PYTHON_PORT.test(code),
  };
}

const NODE_SDK = /\b(?:from|import|require\()\s*['"](?:[^'"\n]*\/)?serverless(?:\.[cm]?js)?['"]/;
const NODE_LOOP = /\b(?:serve|start)\s*\(/;
const NODE_SERVER = /\bcreateServer\s*\(|\b(?:express|fastify|Fastify|restify\.createServer|new\s+Koa)\s*\(/;
const NODE_LISTEN = /\.listen\s*\(/;
const NODE_PORT = new RegExp(
  String.raw`\bprocess\.env\.${ROUTE_ENVIRONMENT.port.name}\b|\bprocess\.env\[['"]${ROUTE_ENVIRONMENT.port.name}['"]\]|` +
    String.raw`\{[^{}]{0,500}\b${ROUTE_ENVIRONMENT.port.name}\b[^{}]{0,500}\}\s*=\s*process\.env\b`,
);

function nodeHandler(file: string, code: string): Handler | undefined {
  if (SDK_START.test(code) || (NODE_SDK.test(code) && NODE_LOOP.test(code)))
    return { file, language: 'node', kind: 'queue', readsPort: false, usesGpu: false };
  if (!NODE_SERVER.test(code) || !NODE_LISTEN.test(code)) return undefined;
  return {
    ...{ file, language: 'node', kind: 'server', usesGpu: false, ...serverFacts(code) },
    readsPort: NODE_PORT.test(code),
  };
}

function serverFacts(code: string): Pick<Handler, 'port' | 'healthPath'> {
  const [, port] = /\blisten\s*\(\s*(\d{2,5})\b|\bport\s*[=:]\s*(\d{2,5})\b/i.exec(code)?.filter(Boolean) ?? [];
  const [, healthPath] = /['"`](\/(?:ping|healthz?|ready|livez))['"`]/.exec(code) ?? [];
  return { port: port === undefined ? undefined : Number(port), healthPath };
}

const ENTRY_NAMES = ['handler', 'main', 'server', 'app', 'worker', 'index'];

/** Orders files so that the most likely entry points come first: usual names before others, and shallow files before deep ones. */
export function compareHandlerPaths(left: string, right: string): number {
  const rank = (file: string) => {
    const index = ENTRY_NAMES.indexOf(path.posix.parse(file).name);
    return index < 0 ? ENTRY_NAMES.length : index;
  };
  const depth = (file: string) => file.split('/').length;
  return depth(left) - depth(right) || rank(left) - rank(right) || left.localeCompare(right);
}
