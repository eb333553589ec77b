import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { EngineApi } from '../../src/machine/engine/engineApi.ts';
import { buildImage } from './images.ts';
import { importPython } from './pythonImage.ts';

/* Images with workers that import slow modules, and take jobs. They need no packages. */

/** Waits in a call, so that no other module is loaded in the meantime. */
const WAITS = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);\n';

const NODE_WORKER = `
import './slow.mjs';
import 'heavy';
process.on('SIGTERM', () => process.exit(0));
const { RUNPOD_WEBHOOK_GET_JOB: take, RUNPOD_AI_API_KEY: key } = process.env;
for (;;) {
  try {
    await (await fetch(take + '&job_in_progress=0', { headers: { Authorization: key } })).arrayBuffer();
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
`;

/** Files of a worker for Node.js by their paths. It imports slow.mjs and heavy/index.js, which imports heavy/inner.js. */
export const NODE_WORKER_FILES: Readonly<Record<string, string>> = {
  'app/worker.mjs': NODE_WORKER,
  'app/slow.mjs': `console.error('a line of the worker');\n${WAITS}${WAITS}${WAITS}`,
  'app/node_modules/heavy/index.js': "require('./inner.js');\n",
  'app/node_modules/heavy/inner.js': WAITS,
};

/** Adds an image with a worker for Node.js. */
export function buildNodeWorker(engine: EngineApi, name: string): Promise<void> {
  return buildImage(engine, name, { files: NODE_WORKER_FILES, instructions: ['CMD ["worker.mjs"]'] });
}

const PYTHON_WORKER = `
import slow_module
import os
import signal
import time
import urllib.request

signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
while True:
    request = urllib.request.Request(os.environ["RUNPOD_WEBHOOK_GET_JOB"] + "&job_in_progress=0")
    request.add_header("Authorization", os.environ["RUNPOD_AI_API_KEY"])
    try:
        urllib.request.urlopen(request).read()
    except OSError:
        time.sleep(0.1)
`;

/** Adds an image with a worker for Python, which imports slow_module. */
export function importPythonWorker(engine: EngineApi, name: string): Promise<void> {
  return importPython(engine, name, {
    packages: false,
    fill: async (root) => {
      await mkdir(path.join(root, 'app'), { recursive: true });
      await writeFile(path.join(root, 'app/worker.py'), PYTHON_WORKER);
      const slow = 'import sys, time\nsys.stderr.write("a line of the worker\\n")\ntime.sleep(1)\n';
      await writeFile(path.join(root, 'app/slow_module.py'), slow);
    },
    instructions: ['ENTRYPOINT ["/usr/bin/python3"]', 'CMD ["worker.py"]', 'WORKDIR /app'],
  });
}
