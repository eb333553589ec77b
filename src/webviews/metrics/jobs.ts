import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { MetricsJobs, MetricsToHost } from './messages.ts';
import { durationText, intervalText, momentText, STATUSES } from './words.ts';

export interface JobActions {
  readonly send: (message: MetricsToHost) => void;
  readonly closeJobs: () => void;
}

/** Renders the jobs of a bucket, those that took longest first. Each opens its document. */
export function jobList(
  { start, end, list, failure }: MetricsJobs,
  isObserved: boolean,
  { send, closeJobs }: JobActions,
): TemplateResult {
  return html`
    <section class="jobs" aria-labelledby="jobs-title" @keydown=${(event: KeyboardEvent) => onKey(event, closeJobs)}>
      <div class="jobs-heading">
        <h2 id="jobs-title" tabindex="-1">${l10n.t`Jobs that ended ${intervalText(start, end)}`}</h2>
        <vscode-button secondary @click=${closeJobs}>${l10n.t('Close')}</vscode-button>
      </div>
      ${failure ? html`<p role="alert" class="problem">${failure.message}</p>` : nothing}
      ${!list && !failure ? html`<p role="status">${l10n.t('Reading the jobs…')}</p>` : nothing}
      ${
        list?.length === 0
          ? html`<p role="status">
              ${
                isObserved
                  ? l10n.t('None of the jobs that you ran from here ended in this time.')
                  : l10n.t(
                      'The platform has no job that ended in this time. It keeps a job for 24 hours after its end.',
                    )
              }
            </p>`
          : nothing
      }
      ${list && list.length > 0 ? table(list, send) : nothing}
    </section>
  `;
}

function onKey(event: KeyboardEvent, close: () => void): void {
  if (event.key !== 'Escape') return;
  event.preventDefault();
  close();
}

function table(list: NonNullable<MetricsJobs['list']>, send: JobActions['send']): TemplateResult {
  return html`
    <div class="table" role="region" aria-label=${l10n.t('Jobs, slowest first')} tabindex="0">
      <table>
        <thead>
          <tr>
            <th scope="col">${l10n.t('Job')}</th>
            <th scope="col">${l10n.t('End to end')}</th>
            <th scope="col">${l10n.t('Status')}</th>
            <th scope="col">${l10n.t('Ended')}</th>
            <th scope="col">${l10n.t('Worker')}</th>
            <th scope="col">${l10n.t('Release')}</th>
          </tr>
        </thead>
        <tbody>
          ${list.map(
            ({ id, seconds, status, finishedAt, workerId, release }) =>
              html`<tr>
                <th scope="row">
                  <button type="button" class="link" @click=${() => send({ type: 'openJob', id })}>${id}</button>
                </th>
                <td class="amount">${durationText(seconds)}</td>
                <td>${STATUSES[status] ?? status}</td>
                <td>${momentText(finishedAt)}</td>
                <td class="name">${workerId ?? '–'}</td>
                <td>${release ?? '–'}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  `;
}
