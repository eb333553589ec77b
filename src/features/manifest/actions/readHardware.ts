import type { Client } from '../../../client/client.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import {
  needsOf,
  type HardwareNeeds,
  type HardwareSettings,
  type OtherNeeds,
} from '../../../account/hardware/hardwareNeeds.ts';
import { hardwareOffers, type HardwareOffer, type HardwareStock } from '../../../account/hardware/hardwareOffers.ts';
import { readHardwareStock, readMountedVolumes } from '../../../account/hardware/readHardwareStock.ts';
import { NO_RUN_TIMES, type RunTimes } from '../../../account/hardware/runTimes.ts';
import { readRunTimes, runTimesOfJobs, type PastJob } from './readRunTimes.ts';

/** Hardware of a platform for an endpoint, and the conditions that it is compared with. */
export interface HardwareChoice {
  readonly needs: HardwareNeeds;
  readonly stock: HardwareStock;
  readonly offers: readonly HardwareOffer[];
  /** Returns the same hardware for another condition. */
  readonly with: (others: OtherNeeds) => HardwareChoice;
}

export interface HardwareSubject {
  readonly settings: HardwareSettings;
  /** The endpoint whose jobs tell the run times. Undefined if there is none. */
  readonly endpoint?: Endpoint | undefined;
  /** Jobs of the endpoint that the user ran, for a platform that measures none. */
  readonly jobs?: readonly PastJob[] | undefined;
  readonly others?: OtherNeeds | undefined;
}

/** Reads the hardware of a platform for an endpoint or a manifest. @throws ApiError, and the reason of the signal */
export async function readHardware(
  client: Client,
  { settings, endpoint, jobs = [], others = {} }: HardwareSubject,
  signal: AbortSignal,
): Promise<HardwareChoice> {
  const [volumes, times] = await Promise.all([
    readMountedVolumes(client, settings, { signal }),
    endpoint && readRunTimes(client, endpoint, signal),
  ]);
  const needs = needsOf(settings, volumes, others);
  const stock = await readHardwareStock(client, needs, { signal });
  return choiceOf(stock, needs, times ?? runTimesOfJobs(jobs));
}

/** Reads the hardware in the data center of a network volume. @throws ApiError */
export async function readHardwareAt(
  client: Client,
  needs: HardwareNeeds,
  signal: AbortSignal,
): Promise<HardwareChoice> {
  return choiceOf(await readHardwareStock(client, needs, { signal }), needs, NO_RUN_TIMES);
}

function choiceOf(stock: HardwareStock, needs: HardwareNeeds, times: RunTimes): HardwareChoice {
  return {
    needs,
    stock,
    offers: hardwareOffers(stock, needs, times),
    with: (others) => choiceOf(stock, { ...needs, ...others }, times),
  };
}
