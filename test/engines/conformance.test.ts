import { containerRuntime } from '../../src/platform/runtimes/container/containerRuntime.ts';
import { systemClock } from '../../src/platform/time/clock.ts';
import { runtimeConformance } from '../platform/runtimes/conformance.ts';
import { afterwards } from '../platform/support.ts';
import { NODE_IMAGE } from './images.ts';
import { testGate } from './testGate.ts';
import { onEngines } from './world.ts';

onEngines(({ name, running }) => {
  runtimeConformance(`containers on ${name}`, {
    open: () => {
      const runtime = containerRuntime({
        ...{ clock: systemClock, owner: 'conformance', gate: testGate(), address: running().address },
        environment: process.env,
      });
      afterwards(() => runtime.close());
      return runtime;
    },
    program: (script) => Promise.resolve({ image: NODE_IMAGE, entrypoint: [], cmd: ['-e', script], env: {} }),
    failures: {
      'a program that the image does not have': {
        changes: { entrypoint: ['/no/such/program'] },
        message: /^the engine cannot run the container: .*\/no\/such\/program.*Correct the entrypoint or the command/s,
      },
      'a program that is not on the PATH of the image': {
        changes: { entrypoint: ['no-such-program'] },
        message: /no-such-program.*Correct the entrypoint or the command/s,
      },
      'a null byte': { changes: { cmd: ['\0'] }, message: /^the command or environment contains a null byte/ },
      'a directory that does not exist': {
        changes: { mounts: [{ directory: '/no/such/directory', path: '/data' }] },
        message: /Restore the directory of the volume\.$/,
      },
      'an image that does not exist': { changes: { image: '127.0.0.1:1/no/such:image' }, message: /no\/such/ },
    },
    handlesExitRequests: true,
    findsOrphans: 'all',
  });
});
