import { cleanUp, platformForTest } from '../platform/support.ts';
import { describeDebugger } from './debugConformance.ts';
import { addDebuggedImages } from './debugImages.ts';
import { onEngines } from './world.ts';

onEngines(({ running }) => {
  describe('The debugger of a worker in a container', function () {
    this.timeout(180_000);
    before(() => addDebuggedImages(running().api));
    afterEach(cleanUp);

    describeDebugger(async (image, env) => {
      const { api } = await platformForTest({ engine: { containerEngine: running().address } });
      const endpoint = await api.createEndpoint({
        workers: { min: 1, max: 1 },
        image,
        cmd: undefined,
        ...(env && { env }),
      });
      return { api, endpoint };
    });
  });
});
