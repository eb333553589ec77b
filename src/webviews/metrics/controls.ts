import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { choice } from '../charts/parts.ts';
import type { MetricsComparison, MetricsDuration, MetricsPeriod, MetricsToHost, MetricsView } from './messages.ts';
import { DURATIONS, PERIODS } from './words.ts';

const ALL = 'all';

/** Renders the fields of the selection: the period, the duration, the release, and what to compare with. */
export function controls(view: MetricsView, send: (message: MetricsToHost) => void): TemplateResult {
  const { selection, durations, releases, hasBefore } = view;
  const isObserved = view.observedSince !== undefined;
  const select = (change: Extract<MetricsToHost, { type: 'select' }>['change']) => send({ type: 'select', change });
  const versions = [...new Set([...releases, ...numbersOf(selection.release, selection.compare)])];
  const releaseNames = Object.fromEntries(versions.map((version) => [nameOf(version), l10n.t`Release ${version}`]));
  const comparisons = {
    none: l10n.t('Nothing'),
    ...(hasBefore && { before: l10n.t('The period before') }),
    ...(isObserved ? {} : releaseNames),
  };
  return html`
    <div class="controls" role="group" aria-label=${l10n.t('Selection')}>
      ${choice(l10n.t('Period'), PERIODS, selection.period, (period: MetricsPeriod) => select({ period }))}
      ${choice(l10n.t('Duration'), only(durations), selection.duration, (duration: MetricsDuration) => select({ duration }))}
      ${
        isObserved
          ? nothing
          : choice(
              l10n.t('Release'),
              { [ALL]: l10n.t('All releases'), ...releaseNames },
              selection.release === undefined ? ALL : nameOf(selection.release),
              (name: string) => select({ release: name === ALL ? undefined : versionOf(name) }),
            )
      }
      ${choice(
        l10n.t('Compare with'),
        comparisons,
        typeof selection.compare === 'number' ? nameOf(selection.compare) : selection.compare,
        (name: string) => select({ compare: comparisonOf(name) }),
      )}
    </div>
  `;
}

function only(durations: readonly MetricsDuration[]): Record<string, string> {
  return Object.fromEntries(durations.map((duration) => [duration, DURATIONS[duration]]));
}

/** Returns the name of a release in a list. It does not begin with a digit, because objects order such keys by number. */
function nameOf(version: number): string {
  return `v${version}`;
}

function versionOf(name: string): number {
  return Number(name.slice(1));
}

function comparisonOf(name: string): MetricsComparison {
  return name === 'none' || name === 'before' ? name : versionOf(name);
}

function numbersOf(...values: readonly unknown[]): number[] {
  return values.filter((value) => typeof value === 'number');
}
