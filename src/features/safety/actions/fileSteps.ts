import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseJson } from '../../../contract/parsedJson.ts';
import { STEPS_FOLDER, type FileEdge } from './fileEdges.ts';
import type { RunFolder } from './workplace.ts';

/* Counts the changes of files inside workers of Node.js and Python, and kills one of them before a counted change. Both are exact, because
   they happen in the worker. From outside, a change is seen too late. */

const PREFIX = 'CLOUD_COMPUTE_SAFETY_';

/** Calls of Node.js that change files, with the index of the path. */
const NODE_HOOK = `'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { existsSync, appendFileSync, readFileSync } = fs;
const folder = process.env.${PREFIX}FOLDER;
const edges = JSON.parse(process.env.${PREFIX}EDGES || '{}');
let wanted = Number(process.env.${PREFIX}KILL || 0);
let isInside = false;
function step(target) {
  if (typeof target === 'number' || target === undefined) return;
  const full = path.resolve(target instanceof URL ? require('node:url').fileURLToPath(target) : String(target));
  const edge = Object.entries(edges).find(([, directory]) => full === directory || full.startsWith(directory + path.sep));
  if (!edge || !existsSync(path.join(folder, 'armed'))) return;
  const log = path.join(folder, 'log');
  const name = edge[0] + full.slice(edge[1].length).split(path.sep).join('/');
  appendFileSync(log, JSON.stringify(name) + '\\n');
  if (wanted === 0) return;
  const count = readFileSync(log, 'utf8').split('\\n').length - 1;
  if (count === wanted) process.kill(process.pid, 'SIGKILL');
  if (count > wanted) wanted = 0;
}
const { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND } = fs.constants;
const writes = (flags) =>
  typeof flags === 'number'
    ? (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)) !== 0
    : typeof flags === 'string' && /[wa+]/.test(flags);
const calls = { writeFile: 0, appendFile: 0, mkdir: 0, rm: 0, rmdir: 0, unlink: 0, truncate: 0, open: 0, rename: 1, copyFile: 1, cp: 1, link: 1, symlink: 1 };
for (const [name, index] of Object.entries(calls))
  for (const [object, key] of [[fs, name], [fs, name + 'Sync'], [fs.promises, name]]) {
    const original = object[key];
    if (typeof original !== 'function') continue;
    const counted = function (...args) {
      if (isInside || (name === 'open' && !writes(args[1]))) return original.apply(this, args);
      isInside = true;
      try {
        step(args[index]);
        return original.apply(this, args);
      } finally {
        isInside = false;
      }
    };
    object[key] = Object.defineProperties(counted, Object.getOwnPropertyDescriptors(original));
  }
require('node:module').syncBuiltinESMExports();
`;

const PYTHON_HOOK = `import json, os, signal, sys

def _install():
    folder = os.environ.get("${PREFIX}FOLDER")
    if folder is None:
        return
    edges = json.loads(os.environ.get("${PREFIX}EDGES", "{}"))
    kill = {"before": int(os.environ.get("${PREFIX}KILL", "0"))}
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    events = {"os.remove": 0, "os.mkdir": 0, "os.rmdir": 0, "os.truncate": 0, "os.rename": 1, "os.link": 1, "os.symlink": 1}

    def step(target):
        if not isinstance(target, (str, bytes, os.PathLike)):
            return
        full = os.path.abspath(os.fsdecode(target))
        for name, directory in edges.items():
            if (full == directory or full.startswith(directory + os.sep)) and os.path.exists(os.path.join(folder, "armed")):
                log = os.path.join(folder, "log")
                with open(log, "a") as lines:
                    lines.write(json.dumps(name + full[len(directory):].replace(os.sep, "/")) + "\\n")
                if kill["before"] == 0:
                    return
                with open(log) as lines:
                    count = sum(1 for _ in lines)
                if count == kill["before"]:
                    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
                if count > kill["before"]:
                    kill["before"] = 0
                return

    inside = []

    def hook(event, args):
        if inside or not (event in events or event == "open" and isinstance(args[2], int) and args[2] & writing):
            return
        inside.append(True)
        try:
            step(args[events.get(event, 0)])
        finally:
            inside.pop()

    sys.addaudithook(hook)

_install()
_own = os.path.dirname(os.path.abspath(__file__))
sys.path = [one for one in sys.path if os.path.abspath(one or ".") != _own]
_this = sys.modules.pop("sitecustomize")
try:
    import sitecustomize
except ImportError:
    sys.modules["sitecustomize"] = _this
`;

/** The counted changes of one run. */
export interface FileSteps {
  /** Environment of the workers. */
  readonly variables: Readonly<Record<string, string>>;
  /** Counts from now on, so that the start of the workers does not count. */
  begin(): Promise<void>;
  /** Returns the names of the changed files, in the order of the changes. A file can be there more than once. */
  names(): Promise<readonly string[]>;
}

export interface StepOptions {
  readonly files: readonly FileEdge[];
  readonly into: RunFolder;
  /** Environment of the endpoint. */
  readonly env: Readonly<Record<string, string>>;
  /** Number of the change before which the worker is killed. 0: none. */
  readonly killAt: number;
}

/** Prepares the count. Workers of other languages, and those that ignore the variables, have no changes. */
export async function countFileSteps({ files, into, env, killAt }: StepOptions): Promise<FileSteps> {
  if (files.length === 0) return { variables: {}, begin: () => Promise.resolve(), names: () => Promise.resolve([]) };
  const folder = path.join(into.directory, STEPS_FOLDER);
  const places = into.mounts ? path.posix : path;
  const seenAs = places.join(into.seenAs, STEPS_FOLDER);
  await mkdir(folder);
  await writeFile(path.join(folder, 'hook.cjs'), NODE_HOOK);
  await writeFile(path.join(folder, 'sitecustomize.py'), PYTHON_HOOK);
  const { NODE_OPTIONS: options, PYTHONPATH: modules } = env;
  const separator = into.mounts || process.platform !== 'win32' ? ':' : ';';
  return {
    variables: {
      [`${PREFIX}FOLDER`]: seenAs,
      [`${PREFIX}EDGES`]: JSON.stringify(Object.fromEntries(files.map((file) => [file.variable, file.seenAs]))),
      [`${PREFIX}KILL`]: String(killAt),
      NODE_OPTIONS: [options, `--require ${JSON.stringify(places.join(seenAs, 'hook.cjs'))}`].filter(Boolean).join(' '),
      PYTHONPATH: [seenAs, modules].filter(Boolean).join(separator),
    },
    begin: () => writeFile(path.join(folder, 'armed'), ''),
    names: async () => {
      const log = await readFile(path.join(folder, 'log'), 'utf8').catch(() => '');
      // A worker can write to any file of its volume.
      return log.split('\n').flatMap((line) => {
        const name = parseJson(line);
        return typeof name === 'string' ? [name] : [];
      });
    },
  };
}
