import * as l10n from '@vscode/l10n';
import type { ApiError } from '../../../client/apiError.ts';
import { millisecondsOf } from '../../../contract/dateTime.ts';
import type { Profile } from '../../../account/connections/connectionStore.ts';
import {
  NotConnectedError,
  requireConnectionOf,
  type Connections,
} from '../../../account/connections/requireConnection.ts';
import { explain, remedyOf } from '../../../kit/explain.ts';
import { remedyButton, type WebviewPage } from '../../../kit/webviewPage.ts';
import { foreign } from '../../../text/shownText.ts';
import {
  type MetricsChart,
  type MetricsFailure,
  type MetricsJobs,
  type MetricsTarget,
  type MetricsView,
  ToHost,
  type MetricsToHost,
  type MetricsAction,
} from '../../../webviews/metrics/messages.ts';
import type { MetricsState } from './metricsStore.ts';
import { chartOf, summaryOf } from './model/columns.ts';
import { durationsOf, hasBefore, validSelection } from './model/window.ts';
import type { CommandId } from '../../../kit/commandIds.ts';

type Known = Pick<Profile, 'kind' | 'name' | 'id'>;

/** Returns the content of the page without the charts. */
export function metricsView(
  state: MetricsState,
  target: MetricsTarget,
  connections: Connections<unknown, Known>,
): MetricsView {
  const { facts, reading, compared, busy, jobs, observedSince } = state;
  const isQueue = facts.value?.isQueue ?? true;
  const selection = validSelection(state.selection, isQueue);
  const reason = reasonWithout(connections, target.connectionId);
  const error = facts.error ?? reading.error;
  const failure = reason ? failureWithout(reason) : error && failureOf(error, l10n.t('Could not read the metrics'));
  const profile = connections.find(target.connectionId);
  return {
    target: { ...target, name: foreign(target.name).text },
    selection,
    durations: [...durationsOf(isQueue)],
    releases: [...(facts.value?.releases ?? [])],
    hasBefore: hasBefore(selection.period),
    ...(profile && { connection: foreign(profile.name).text }),
    busy,
    ...(reading.readAt !== undefined && { updatedAt: reading.readAt }),
    ...(reading.value && { summary: summaryOf(reading.value, selection.duration) }),
    ...(compared.value && { compared: summaryOf(compared.value, selection.duration) }),
    ...(jobs && { jobs: jobsOf(jobs) }),
    ...(failure && { failure }),
    ...(!failure &&
      compared.error && { comparisonFailure: failureOf(compared.error, l10n.t('Could not read the comparison')) }),
    ...(observedSince !== undefined && { observedSince }),
  };
}

/** Returns the charts, or undefined while the metrics are not known. */
export function metricsChart({ facts, reading, compared, selection, now }: MetricsState): MetricsChart | undefined {
  if (!reading.value) return undefined;
  const isQueue = facts.value?.isQueue ?? true;
  const { duration } = validSelection(selection, isQueue);
  const { deploymentOf = () => undefined, createdAt } = facts.value ?? {};
  return chartOf(reading.value, compared.value, { isQueue, duration, now, deploymentOf, createdAt });
}

function jobsOf({ period, value, error }: NonNullable<MetricsState['jobs']>): MetricsJobs {
  return {
    ...period,
    ...(value && {
      list: value.map(({ id, status, createdAt, finishedAt, workerId, release }) => ({
        ...{ id: foreign(id).text, status, finishedAt: millisecondsOf(finishedAt) },
        seconds: Math.max(0, millisecondsOf(finishedAt) - millisecondsOf(createdAt)) / 1_000,
        ...(workerId !== undefined && { workerId: foreign(workerId).text }),
        ...(release !== undefined && { release }),
      })),
    }),
    ...(error && { failure: failureOf(error, l10n.t('Could not list the jobs')) }),
  };
}

/** Returns why the platform of the endpoint cannot be called, or undefined when it can. */
function reasonWithout(connections: Connections<unknown, Known>, id: string): NotConnectedError | undefined {
  try {
    requireConnectionOf(connections, id);
    return undefined;
  } catch (error) {
    if (error instanceof NotConnectedError) return error;
    throw error;
  }
}

/** Returns the failure for a platform that cannot be called. A retry does not help. */
function failureWithout({ sentence, remedy }: NotConnectedError): MetricsFailure {
  return { message: sentence.text, retry: false, ...remedyButton(METRICS_COMMANDS, remedy) };
}

function failureOf(error: ApiError, attempt: string): MetricsFailure {
  return {
    message: `${explain(error, attempt).text}.`,
    retry: true,
    ...remedyButton(METRICS_COMMANDS, remedyOf(error)),
  };
}

export const METRICS_PAGE: WebviewPage<MetricsToHost> = {
  name: 'metrics',
  iconName: 'metrics',
  title: l10n.t('Metrics'),
  showsPictures: false,
  messages: ToHost,
};

/** The command that each action of the page runs. */
export const METRICS_COMMANDS: Readonly<Record<MetricsAction, CommandId>> = {
  runJob: 'cloudCompute.jobs.run',
  openBilling: 'cloudCompute.billing.open',
  startLocalPlatform: 'cloudCompute.localPlatform.start',
  switchConnection: 'cloudCompute.connections.switch',
  replaceKey: 'cloudCompute.connections.replaceKey',
  showLog: 'cloudCompute.showLog',
};
