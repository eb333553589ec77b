import os from 'node:os';
import path from 'node:path';
import { containerRuntime } from '../../src/platform/runtimes/container/containerRuntime.ts';
import { systemClock } from '../../src/platform/time/clock.ts';
import { runtimeConformance } from '../platform/runtimes/conformance.ts';
import { afterwards } from '../platform/support.ts';
import { NODE_IMAGE } from './images.ts';
import { testGate } from './testGate.ts';
import { onEngines } from './world.ts';

onEngines(({ name, running }) => {
  // An adopted worker finds each instance at the same address.
  const gate = testGate();
  runtimeConformance(`containers on ${name}`, {
    open: () => {
      const runtime = containerRuntime({
        ...{ clock: systemClock, owner: 'conformance', gate, address: running().address },
        environment: process.env,
      });
      afterwards(() => runtime.close());
      return runtime;
    },
    program: (script) => Promise.resolve({ image: NODE_IMAGE, entrypoint: [], cmd: ['-e', script], env: {} }),
    failures: {
      'a program that the image does not have': {
        changes: { entrypoint: ['/no/such/program'] },
        message: /^command not found: \/no\/such\/program\. Correct the entrypoint or the command/,
      },
      'a program that is not on the PATH of the image': {
        changes: { entrypoint: ['no-such-program'] },
        message: /^command not found: no-such-program\. Correct the entrypoint/,
      },
      'a file that is not a program': {
        changes: { entrypoint: ['/etc/passwd'] },
        message: /^\/etc\/passwd is not executable\. Correct the entrypoint/,
      },
      'a null byte': { changes: { cmd: ['\0'] }, message: /^the command or environment contains a null byte/ },
      'a directory that does not exist': {
        changes: { mounts: [{ directory: path.join(os.tmpdir(), 'no', 'such'), path: '/data' }] },
        message: /^the directory .* of the volume does not exist\. Restore it/,
      },
    },
    handlesExitRequests: true,
    findsOrphans: 'all',
  });
});
