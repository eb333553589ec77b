import { remedyButton, type WebviewPage } from '../../../kit/webviewPage.ts';
import * as l10n from '@vscode/l10n';
import type { ApiError } from '../../../client/apiError.ts';
import { foreign, shown } from '../../../text/shownText.ts';
import {
  type BillingChart,
  type BillingFailure,
  type BillingForecast,
  type BillingView,
  ToHost,
  type BillingToHost,
  type BillingAction,
} from '../../../webviews/billing/messages.ts';
import type { Profile } from '../../../account/connections/connectionStore.ts';
import { notConnected, type Current, type NotConnectedError } from '../../../account/connections/requireConnection.ts';
import { spendOf } from './actions/readBilling.ts';
import type { BillingState } from './billingStore.ts';
import { boundariesOf, bucketAt } from './model/buckets.ts';
import { changeOf, finishedBuckets } from './model/change.ts';
import { forecastMonth } from '../../../account/prices/forecast.ts';
import { spendByKind } from './model/kinds.ts';
import { bucketSizesOf, type SelectionProblem } from './model/selection.ts';
import type { CommandId } from '../../../kit/commandIds.ts';

type Connection = Current<unknown, Pick<Profile, 'kind' | 'name' | 'teamId'>>;

/** Returns the content of the page without the chart. @param now time of the service, in ms since the epoch */
export function billingView(state: BillingState, connections: Connection, now: number): BillingView {
  const { profile } = connections;
  const { selection, problem, busy, account, before, month, groups, resources } = state;
  const reason = notConnected(connections);
  const failure = reason ? failureWithout(reason) : account.error && failureOf(account.error, 'billing');
  const response = account.value;
  return {
    selection,
    bucketSizes: bucketSizesOf(selection.period),
    busy,
    ...(problem && { problem: PROBLEMS[problem] }),
    ...(profile && { connection: foreign(profile.name).text }),
    ...(profile?.teamId !== undefined && { team: foreign(profile.teamId).text }),
    ...(account.readAt !== undefined && { updatedAt: new Date(account.readAt).toISOString() }),
    ...(response && { total: response.metadata.totals.totalAmount, recordCount: response.metadata.recordCount }),
    ...(response &&
      before.value &&
      finishedBuckets(boundariesOf(response.metadata.query), now) > 0 && {
        change: changeOf(response, before.value, now),
      }),
    ...(month.value && { forecast: forecastOf(month.value.records, now) }),
    ...(failure && { failure }),
    // One failure of the connection is reported once.
    ...(!failure && chartFailure(state)),
    ...(!failure && month.error && { forecastFailure: failureOf(month.error, l10n.t('the forecast')) }),
    notes: selection.grouping === 'kind' ? [] : notesOf(selection.grouping, groups.value !== undefined, resources),
  };
}

/** Returns the chart of a state with all of its buckets, or undefined while its report is not known. */
export function billingChart(state: BillingState, now: number): BillingChart | undefined {
  const { selection, account, groups, resources } = state;
  const spend = spendOfState();
  if (!spend) return undefined;
  return { grouping: selection.grouping, running: bucketAt(spend.times, now), ...spend };

  function spendOfState() {
    if (selection.grouping === 'kind') return account.value && spendByKind(account.value);
    if (groups.value?.grouping !== selection.grouping) return undefined;
    // Without the endpoints, GPU types are unknown, and a failure explains it.
    if (selection.grouping === 'gpu' && !resources.value?.endpoints) return undefined;
    if (!resources.value && !resources.error) return undefined;
    return spendOf(groups.value, resources.value ?? {});
  }
}

function chartFailure({ selection, groups, resources }: BillingState): Pick<BillingView, 'chartFailure'> | undefined {
  if (selection.grouping === 'kind') return undefined;
  if (groups.error) return { chartFailure: failureOf(groups.error, REPORTS[selection.grouping]) };
  if (selection.grouping === 'gpu' && resources.error)
    return { chartFailure: failureOf(resources.error, l10n.t('the list of endpoints, which GPU types require')) };
  return undefined;
}

const REPORTS = {
  endpoint: l10n.t('the spend by endpoint'),
  gpu: l10n.t('the spend by GPU type'),
  volume: l10n.t('the spend by volume'),
} as const;

function notesOf(
  grouping: 'endpoint' | 'gpu' | 'volume',
  hasReport: boolean,
  { error }: BillingState['resources'],
): string[] {
  if (!hasReport) return [];
  if (grouping === 'gpu')
    return [
      l10n.t(
        'GPU types are those that each endpoint allows now. The spend of an endpoint with several types cannot be divided between them.',
      ),
    ];
  if (!error) return [];
  return [
    (grouping === 'volume'
      ? shown`The names could not be read, so volumes are shown by ID (${error.message}).`
      : shown`The names could not be read, so endpoints are shown by ID (${error.message}).`
    ).text,
  ];
}

function forecastOf(records: Parameters<typeof forecastMonth>[0]['records'], now: number): BillingForecast {
  const { month, spent, expected, low, high, basis } = forecastMonth({ records, now });
  return { month: month.start, spent, expected, low, high, days: basis.days, dailyMean: basis.dailyMean };
}

const PROBLEMS: Readonly<Record<SelectionProblem, string>> = {
  noCount: l10n.t('Enter a whole number of at least 1.'),
  noTimes: l10n.t('Enter a valid start and end. An empty field uses the default of the service.'),
  endBeforeStart: l10n.t('The end must be after the start.'),
};

/** Returns the failure for a platform that cannot be called. A retry does not help. */
function failureWithout({ sentence, remedy }: NotConnectedError): BillingFailure {
  return { message: sentence.text, retry: false, ...remedyButton(BILLING_COMMANDS, remedy) };
}

/** @param subject what cannot be read, as in "has no access to billing" */
function failureOf({ kind, message }: ApiError, subject: string): BillingFailure {
  switch (kind) {
    case 'forbidden':
      return {
        message: shown`The API key has no access to ${subject} (${message}).`.text,
        retry: true,
        remedy: { label: l10n.t('Replace API Key'), action: 'replaceKey' },
      };
    case 'unauthorized':
      return {
        message: shown`The API key was not accepted (${message}).`.text,
        retry: true,
        remedy: { label: l10n.t('Replace API Key'), action: 'replaceKey' },
      };
    case 'rateLimited':
      return { message: shown`Too many requests for ${subject} (${message}).`.text, retry: true };
    case 'network':
    case 'timeout':
      return { message: shown`The platform cannot be reached (${message}).`.text, retry: true };
    default:
      return {
        message: shown`The platform could not report ${subject} (${message}).`.text,
        retry: true,
        remedy: { label: l10n.t('Show Log'), action: 'showLog' },
      };
  }
}

export const BILLING_PAGE: WebviewPage<BillingToHost> = {
  name: 'billing',
  iconName: 'billing',
  title: l10n.t('Billing'),
  showsPictures: false,
  messages: ToHost,
};

/** The command that each action of the page runs. */
export const BILLING_COMMANDS: Readonly<Record<BillingAction, CommandId>> = {
  runJob: 'cloudCompute.jobs.run',
  startLocalPlatform: 'cloudCompute.localPlatform.start',
  replaceKey: 'cloudCompute.connections.replaceKey',
  showLog: 'cloudCompute.showLog',
};
