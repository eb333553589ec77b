import { cleanUp } from '../platform/support.ts';
import { describeExec } from './execConformance.ts';
import { NODE_IMAGE } from './images.ts';
import { importShellImage, SHELL_IMAGE } from './shellImage.ts';
import { openRuntime, startWorker, STAYS } from './workerSupport.ts';
import { onEngines } from './world.ts';

const OWNER = 'exec';

describe('Programs beside a worker in a container', () => {
  afterEach(cleanUp);

  onEngines(({ running }) => {
    before(async () => importShellImage(running().api));
    describeExec({
      start: async (image) => {
        const changes = { image: image === 'shell' ? SHELL_IMAGE : NODE_IMAGE };
        return (await startWorker(openRuntime(running(), OWNER), OWNER, STAYS, changes)).running;
      },
      closesInput: true,
    });
  });
});
