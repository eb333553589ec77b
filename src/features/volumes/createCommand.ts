import * as l10n from '@vscode/l10n';
import type { AccountServices } from '../../account/accountServices.ts';
import { requireConnection } from '../../account/connections/requireConnection.ts';
import { liveLists } from '../../account/liveValues/liveLists.ts';
import { ApiError } from '../../client/apiError.ts';
import type { Client } from '../../client/client.ts';
import { MAX_VOLUME_GB } from '../../contract/bounds.ts';
import { MIN_VOLUME_GB, type NetworkVolume, type VolumeType } from '../../contract/networkVolume.ts';
import { volumeMonthlyUsd } from '../../contract/volumePrices.ts';
import { explain } from '../../kit/explain.ts';
import { showStatusBarMessage } from '../../kit/messages.ts';
import { withProgress } from '../../kit/progress.ts';
import { askItem, askText, BACK, type Place } from '../../kit/steps.ts';
import { shown } from '../../text/shownText.ts';
import { wantedPools } from '../manifest/index.ts';
import { dataCenterChoices, type DataCenterChoice } from './model/dataCenterChoices.ts';
import { refreshVolumes, sizeProblem } from './volumeCommands.ts';

/** Maximum number of GPUs that a data center names. */
const MAX_NAMES = 3;

const TITLE = l10n.t('Create Network Volume');

interface Draft {
  name?: string;
  size?: number;
  dataCenter?: string;
  /** Types that the data center offers. */
  types?: readonly string[];
  type?: VolumeType;
  created?: NetworkVolume;
}
type Step = (client: Client, draft: Draft, place: Place) => Promise<true | typeof BACK | undefined>;

/** Asks for a data center, the type, a name, and a size until the platform creates the volume, and returns it. */
export async function askAndCreate(
  services: Pick<AccountServices, 'connections' | 'endpoints' | 'liveValues'>,
): Promise<NetworkVolume | undefined> {
  const { client } = requireConnection(services.connections);
  const draft: Draft = {};
  const steps: readonly Step[] = [askDataCenter(services), askType, askName, askSizeAndCreate];
  for (let step = 0; step < steps.length;) {
    const place = { title: TITLE, step: step + 1, totalSteps: steps.length, back: step > 0 };
    const answer = await steps[step]?.(client, draft, place);
    if (answer === undefined) return undefined;
    step += answer === BACK ? -1 : 1;
  }
  showStatusBarMessage(shown`$(check) Network volume “${draft.name ?? ''}” created`, 5_000);
  refreshVolumes(services);
  return draft.created;
}

/** Shows the stock of the GPUs that open manifests and endpoints want, because their workers run beside the volume. */
const askDataCenter =
  (services: Pick<AccountServices, 'endpoints'>): Step =>
  async (client, draft, place) => {
    const [dataCenters, gpus] = await withProgress(
      { title: l10n.t('Reading the data centers…'), location: { viewId: 'cloudCompute.resources' } },
      (signal) =>
        Promise.all([liveLists.dataCenters.read(client, { signal }), liveLists.gpus.read(client, { signal })]),
    );
    const used = services.endpoints.endpoints.flatMap(({ endpoint }) => endpoint.gpu?.pools ?? []);
    const pools = new Set([...used, ...(await wantedPools())]);
    const items = dataCenterChoices(dataCenters, gpus, pools).map(({ dataCenter, stock }) => ({
      label: dataCenter.id,
      ...(dataCenter.name !== dataCenter.id && { description: dataCenter.name }),
      detail: stockWords(stock, pools.size > 0),
      dataCenter,
    }));
    const choice = await askItem({
      place,
      placeholder: l10n.t('Data center. Workers that mount the volume run there. It cannot be changed later.'),
      items,
      active: items.find(({ label }) => label === draft.dataCenter),
    });
    if (choice === undefined || choice === BACK) return choice;
    const { id, networkVolumeTypes } = choice.item.dataCenter;
    draft.dataCenter = id;
    draft.types = networkVolumeTypes;
    return true;
  };

/** @param isWanted whether the GPUs are those that manifests and endpoints want, and not all of them */
function stockWords(stock: DataCenterChoice['stock'], isWanted: boolean): string {
  if (isWanted)
    return stock.length === 0
      ? l10n.t('None of the GPUs is available.')
      : stock.map(({ gpu, availability }) => `${gpu}: ${availability.toLowerCase()}`).join(' · ');
  const names = stock.filter(({ availability }) => availability === 'HIGH').map(({ gpu }) => gpu);
  if (names.length === 0) return l10n.t('No GPU has high stock.');
  const more = names.length - MAX_NAMES;
  const shownNames = names.slice(0, MAX_NAMES).join(', ');
  return more > 0 ? l10n.t`High stock: ${shownNames}, and ${more} more` : l10n.t`High stock: ${shownNames}`;
}

const askType: Step = async (_, draft, place) => {
  const items = [
    { label: l10n.t('Standard'), type: 'STANDARD' as const },
    { label: l10n.t('High performance'), type: 'HIGH_PERFORMANCE' as const },
  ]
    .filter(({ type }) => draft.types?.includes(type))
    .map((item) => ({
      ...item,
      description: l10n.t`about ${usd(volumeMonthlyUsd({ size: 100, type: item.type }))} a month for 100 GB`,
    }));
  const choice = await askItem({ place, placeholder: l10n.t('Type of storage. It cannot be changed later.'), items });
  if (choice === undefined || choice === BACK) return choice;
  draft.type = choice.item.type;
  return true;
};

const askName: Step = async (_, draft, place) => {
  const answer = await askText({
    place,
    prompt: l10n.t('Name of the network volume'),
    value: draft.name ?? '',
    problem: (text) => (text.trim() === '' ? l10n.t('Enter a name.') : undefined),
  });
  if (typeof answer !== 'string') return answer === BACK ? BACK : undefined;
  draft.name = answer.trim();
  return true;
};

const askSizeAndCreate: Step = async (client, draft, place) => {
  const answer = await askText({
    place,
    prompt: l10n.t`Size in GB, from ${MIN_VOLUME_GB} to ${MAX_VOLUME_GB}. A volume can grow later, but not shrink.`,
    value: String(draft.size ?? 50),
    problem: (text) => sizeProblem(text, MIN_VOLUME_GB),
    attempt: async (text, signal) => {
      draft.size = Number(text);
      const { name = '', size, dataCenter = '', type } = draft;
      try {
        const body = { name, size, dataCenter, ...(type && { type }) };
        draft.created = await client.createNetworkVolume({ body }, { signal });
        return undefined;
      } catch (error) {
        if (error instanceof ApiError && error.kind === 'canceled') return undefined;
        return explain(error, l10n.t('Could not create the network volume'));
      }
    },
  });
  return typeof answer === 'string' ? true : answer === BACK ? BACK : undefined;
};

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const usd = (amount: number): string => dollars.format(amount);
