import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { WORKER_DEFAULTS } from '../../../contract/endpointSettings.ts';
import { hardwareKey } from '../../../account/hardware/runTimes.ts';
import type { HardwareOffer } from '../../../account/hardware/hardwareOffers.ts';
import type { HardwareSettings } from '../../../account/hardware/hardwareNeeds.ts';
import { readHardware } from '../../../features/manifest/actions/readHardware.ts';
import { readMeter } from '../../../features/spend/actions/readMeasurements.ts';
import { DAYS_PER_MONTH, estimateCosts as estimate } from '../../../features/spend/model/estimate.ts';
import type { Prices } from '../../../account/prices/workerPrice.ts';
import { readManifestFile } from '../../../features/manifest/model/manifestFile.ts';
import { ToolError } from '../../model/toolError.ts';
import { readTool, type CallContext } from '../agentTool.ts';
import { findEndpoint } from '../findEndpoint.ts';
import { readManifestInput, targetOf } from '../readManifestInput.ts';
import { endpointField, manifestFields } from './fields.ts';

const WEEK_S = 604_800;

const input = z.strictObject({
  endpoint: endpointField.optional(),
  ...manifestFields,
  jobsPerDay: z
    .number()
    .positive()
    .max(1e9)
    .describe('Number of jobs a day, spread evenly. 0.5: one job every two days.'),
  secondsPerJob: z
    .number()
    .positive()
    .max(WEEK_S)
    .optional()
    .describe('Time that a worker needs for one job. Default: the metered time of the endpoint on the local platform.'),
  coldStartSeconds: z
    .number()
    .min(0)
    .max(WEEK_S)
    .default(0)
    .describe('Time between the start of a worker and its first job.'),
  memoryGb: z
    .number()
    .positive()
    .max(100_000)
    .optional()
    .describe('Memory that a worker needs, in GB: of its GPUs, or of the machine if it has none. Default: not known.'),
});
type Input = z.infer<typeof input>;

interface Subject {
  readonly name: string;
  readonly settings: HardwareSettings;
  readonly workers: { readonly min: number; readonly idleTimeout: number };
  readonly endpoint: Endpoint | undefined;
}

export const estimateCosts = readTool({
  name: 'estimate_costs',
  title: 'Estimate Costs',
  summary: 'Estimates what an endpoint or a manifest costs for a number of jobs, on hardware with stock.',
  icon: 'symbol-numeric',
  description:
    'Estimates the cost of an endpoint or of a manifest in USD per job, day, and month, on its own hardware and on every other GPU pool and CPU flavor of the catalog, cheapest first, with memory and stock. ' +
    'unsatisfied names the conditions of the endpoint that hardware does not satisfy, such as dataCenter: no stock where its volumes are. ' +
    'Call it before deploy_endpoint on a hosted platform, and to choose hardware. Give endpoint, file, or text. Without secondsPerJob, it uses the time that the local platform metered. ' +
    'Disks and volumes are not included, and a job is assumed to take the same time on all hardware. Costs nothing.',
  input,
  commands: ['cloudCompute.costs.estimate', 'cloudCompute.manifest.chooseHardware'],
  progress: ({ endpoint, file }) =>
    l10n.t`Estimating the costs of “${endpoint ?? file ?? l10n.t('the given manifest')}”`,
  read: async (call, context) => {
    const { client, name: connection } = context.connection();
    const subject = await subjectOf(call, context);
    const { settings } = subject;
    const others = { memoryGb: call.memoryGb };
    const { stock: prices, offers: hardware } = await readHardware(client, { settings, others }, context.signal);
    const offered = new Map(hardware.map((offer) => [hardwareKey(offer), offer]));
    const time = await timeOf(call, subject, prices, context);
    const { time: daily, offers } = estimate({ hardware: settings, prices, ...time });
    return {
      of: subject.name,
      pricesOf: connection,
      secondsPerJob: time.secondsPerJob,
      timeIsMetered: call.secondsPerJob === undefined,
      jobsPerDay: call.jobsPerDay,
      billedSecondsPerDay: daily,
      daysPerMonth: DAYS_PER_MONTH,
      offers: offers.map(({ isChosen, kind, id, count, names, ...usd }) => ({
        ...{ kind, id, count, names },
        ownHardware: isChosen,
        ...stockOf(offered.get(hardwareKey({ kind, id, count }))),
        usd,
      })),
    };
  },
});

/** Maximum number of data centers of one offer. */
const MAX_CENTERS = 6;

function stockOf(offer: HardwareOffer | undefined): object {
  if (!offer) return {};
  const { memoryGb, stock = 'UNKNOWN', dataCenters, reasons } = offer;
  return { memoryGb, stock, inStockAt: dataCenters.slice(0, MAX_CENTERS), unsatisfied: reasons };
}

async function subjectOf({ endpoint: wanted, file, text, part }: Input, context: CallContext): Promise<Subject> {
  if ([wanted, file, text].filter((one) => one !== undefined).length !== 1)
    throw new ToolError('invalidInput', 'Give endpoint, file, or text, and only one of them.');
  if (wanted !== undefined) {
    const endpoint = await findEndpoint(context, wanted);
    const { name } = endpoint;
    const { min, idleTimeout = WORKER_DEFAULTS.idleTimeout } = endpoint.workers;
    return { name, settings: endpoint, workers: { min, idleTimeout }, endpoint };
  }
  const given = await readManifestInput(context, { file, text, part });
  const { parts } = readManifestFile(given.text, { language: given.language, target: targetOf(context) });
  const manifest = parts[given.part]?.manifest;
  if (!manifest)
    throw new ToolError(
      'invalidInput',
      `${given.name} is not a valid manifest. Call validate_manifest for its problems.`,
    );
  const { name, workers } = manifest;
  const { min = WORKER_DEFAULTS.min, idleTimeout = WORKER_DEFAULTS.idleTimeout } = workers ?? {};
  return { name, settings: manifest, workers: { min, idleTimeout }, endpoint: undefined };
}

/** Returns the times of an estimate. A metered time includes starts and idle time. */
async function timeOf(
  { secondsPerJob, coldStartSeconds, jobsPerDay }: Input,
  { endpoint, workers }: Subject,
  prices: Prices,
  context: CallContext,
) {
  if (secondsPerJob !== undefined)
    return {
      secondsPerJob,
      jobsPerDay,
      coldStartSeconds,
      idleTimeoutSeconds: workers.idleTimeout,
      minWorkers: workers.min,
    };
  const { client, isLocal } = context.connection();
  const { signal } = context;
  const measured = endpoint && isLocal ? await readMeter(client, endpoint, prices, { signal }) : undefined;
  if (!measured)
    throw new ToolError(
      'invalidInput',
      'secondsPerJob: no time was measured. Give it, or run a job on the local platform first.',
    );
  return { secondsPerJob: measured.seconds, jobsPerDay, coldStartSeconds: 0, idleTimeoutSeconds: 0, minWorkers: 0 };
}
