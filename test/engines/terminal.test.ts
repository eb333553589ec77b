import { cleanUp, platformForTest } from '../platform/support.ts';
import { importShellImage, SHELL_IMAGE } from './shellImage.ts';
import { describeTerminal } from './terminalConformance.ts';
import { STAYS } from './workerSupport.ts';
import { onEngines } from './world.ts';

describe('A terminal in a container', () => {
  afterEach(cleanUp);

  onEngines(({ running }) => {
    before(async () => importShellImage(running().api));
    describeTerminal(async () => {
      const { api } = await platformForTest({ engine: { containerEngine: running().address } });
      const endpoint = await api.createEndpoint({
        image: SHELL_IMAGE,
        cmd: ['-e', STAYS],
        workers: { min: 1, max: 1 },
      });
      return { api, endpoint };
    });
  });
});
