import { importShellImage, SHELL_IMAGE } from '../engines/shellImage.ts';
import { describeTerminal } from '../engines/terminalConformance.ts';
import { cleanUp, platformForTest } from '../platform/support.ts';
import { needsCluster, nodeEngines } from './cluster.ts';
import { STAYS } from './workers.ts';

describe('A terminal in a pod', () => {
  needsCluster();
  before(async function () {
    this.timeout(5 * 60_000);
    if (nodeEngines().length === 0) this.skip();
    await Promise.all(nodeEngines().map((engine) => importShellImage(engine)));
  });
  afterEach(cleanUp);

  describeTerminal(async () => {
    const { api } = await platformForTest({ graceMs: 1_000, engine: { runtime: 'kubernetes', kubeNodeImages: true } });
    const endpoint = await api.createEndpoint({ image: SHELL_IMAGE, cmd: ['-e', STAYS], workers: { min: 1, max: 1 } });
    return { api, endpoint };
  });
});
