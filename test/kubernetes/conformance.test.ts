import { runtimeConformance } from '../platform/runtimes/conformance.ts';
import { NODE_IMAGE } from '../engines/images.ts';
import { needsCluster, runtimeForTest } from './cluster.ts';

describe('On a cluster', () => {
  needsCluster();

  runtimeConformance('pods', {
    open: runtimeForTest,
    program: (script) =>
      Promise.resolve({ image: NODE_IMAGE, entrypoint: ['/usr/bin/node'], cmd: ['-e', script], env: {} }),
    failures: {
      'an unknown program': {
        changes: { entrypoint: ['/no/such'] },
        message: /^the command of the worker cannot run .*no\/such/,
      },
      'an argument with a null byte': { changes: { cmd: ['a\0b'] }, message: /contains a null byte\. Remove it\.$/ },
      'a volume without a claim': {
        changes: { mounts: [{ directory: '/volumes/v', path: '/mnt' }] },
        message: /pods cannot reach.*--kube-volume-claim/,
      },
      'an image with an invalid name': { changes: { image: 'UPPER:1' }, message: /the name of the image is not valid/ },
    },
    handlesExitRequests: true,
    findsOrphans: 'all',
    mergesStreams: true,
  });
});
