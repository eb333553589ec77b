import type { Client } from '../../client/client.ts';
import type { HardwareCatalog } from '../../contract/hardwareRules.ts';
import type { Prices } from '../prices/workerPrice.ts';
import { liveLists } from './liveLists.ts';
import { catalogOf } from './liveValues.ts';

/** The hardware of a platform: the catalog that the rules use, and the prices. */
export interface Hardware {
  readonly catalog: HardwareCatalog | undefined;
  readonly prices: Prices;
}

/** Reads the hardware of a platform. Undefined if it cannot be read. @throws the reason of the signal */
export async function readHardware(client: Client, signal: AbortSignal): Promise<Hardware | undefined> {
  try {
    const [gpus, cpus, dataCenters] = await Promise.all([
      liveLists.gpus.read(client, { signal }),
      liveLists.cpus.read(client, { signal }),
      liveLists.dataCenters.read(client, { signal }),
    ]);
    return { catalog: catalogOf({ gpus, cpus, dataCenters }), prices: { gpus, cpus } };
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
