import { describeDebugger } from '../engines/debugConformance.ts';
import { addDebuggedImages } from '../engines/debugImages.ts';
import { cleanUp, platformForTest } from '../platform/support.ts';
import { needsCluster, nodeEngines } from './cluster.ts';

describe('The debugger of a worker in a pod', function () {
  this.timeout(180_000);
  needsCluster();
  before(async function () {
    const engines = nodeEngines();
    if (engines.length === 0) this.skip();
    await Promise.all(engines.map(addDebuggedImages));
  });
  afterEach(cleanUp);

  describeDebugger(async (image, env) => {
    const { api } = await platformForTest({ graceMs: 1_000, engine: { runtime: 'kubernetes', kubeNodeImages: true } });
    const endpoint = await api.createEndpoint({
      workers: { min: 1, max: 1 },
      image,
      cmd: undefined,
      ...(env && { env }),
    });
    return { api, endpoint };
  });
});
