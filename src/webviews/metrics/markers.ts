import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { countText } from '../charts/numbers.ts';
import type { MetricsMarker } from './messages.ts';
import { momentText } from './words.ts';

/** Maximum number of listed events. The newest ones are listed. */
const MAX_LISTED = 100;

/** Renders the vertical lines of the charts as a list, newest first. */
export function markerList(markers: readonly MetricsMarker[]): TemplateResult {
  if (markers.length === 0) return html``;
  const listed = markers.slice(-MAX_LISTED).toReversed();
  return html`
    <details class="markers">
      <summary>${l10n.t`Releases and crashes (${countText(markers.length)})`}</summary>
      <ul>
        ${listed.map((marker) => html`<li><span class="dim">${momentText(marker.at)}</span> ${words(marker)}</li>`)}
      </ul>
      ${
        markers.length > listed.length
          ? html`<p class="dim">${l10n.t`The last ${countText(listed.length)} of ${countText(markers.length)}.`}</p>`
          : nothing
      }
    </details>
  `;
}

function words({ kind, release, workerId, deployment }: MetricsMarker): string {
  if (kind === 'release') {
    const name = release === undefined ? l10n.t('New release') : l10n.t`Release ${release}`;
    return deployment === undefined ? name : `${name} · ${deployment}`;
  }
  return workerId === undefined ? l10n.t('A worker crashed') : l10n.t`Worker ${workerId} crashed`;
}
