import * as l10n from '@vscode/l10n';
import type { RateLimitWindow } from '../../client/rateLimits.ts';
import { code, formatted, joinedMarkdown, table, type Markdown } from '../../text/markdown.ts';
import { shown, type ShownText } from '../../text/shownText.ts';
import type { Profile } from './connectionStore.ts';

/* How the editor describes a connection. */

/** Returns the icon of a connection: local, hosted, or signed out. */
export function connectionIcon({ kind, apiKey }: Pick<Profile, 'kind' | 'apiKey'>): ShownText {
  if (kind === 'local') return shown`$(vm)`;
  return apiKey === '' ? shown`$(lock)` : shown`$(cloud)`;
}

/** Describes the state of a connection in words. */
export function connectionState({ kind, apiKey }: Pick<Profile, 'kind' | 'apiKey'>): string {
  if (kind === 'local') return apiKey === '' ? l10n.t('on this machine, not running') : l10n.t('on this machine');
  return apiKey === '' ? l10n.t('hosted, signed out') : l10n.t('hosted');
}

/** Returns the tooltip of a connection: its state, its addresses, and its remaining rate limits. */
export function connectionTooltip(
  profile: Profile,
  {
    windows,
    invocations,
    now,
    problem,
    failure,
  }: {
    readonly windows: Iterable<RateLimitWindow>;
    /** Windows of invocations, which the platform counts separately. */
    readonly invocations: Iterable<RateLimitWindow>;
    readonly now: number;
    readonly problem: Error | undefined;
    /** Reason why the latest request failed, and the link of its remedy. */
    readonly failure?: Markdown | undefined;
  },
): Markdown {
  const { name, teamId, baseUrl, restUrl, queueUrl, endpointHost } = profile;
  const rows: (readonly [string, string])[] =
    baseUrl === ''
      ? []
      : [
          [l10n.t('Management API'), baseUrl],
          ...(restUrl === baseUrl ? [] : [[l10n.t('v1 management API'), restUrl] as const]),
          [l10n.t('Queue'), queueUrl],
          [l10n.t('Load-balanced endpoints'), endpointHost],
        ];
  if (teamId !== undefined) rows.push([l10n.t('Team'), teamId]);
  const quotas = (all: Iterable<RateLimitWindow>) => [...all].flatMap((window) => quotaText(window, now) ?? []);
  const [quota, invocationQuota] = [quotas(windows), quotas(invocations)];
  const paragraphs = [formatted`**${name}**, ${connectionState(profile)}`];
  if (failure) paragraphs.push(formatted`$(warning) ${failure}`);
  if (rows.length > 0) paragraphs.push(table(rows.map(([what, text]) => [what, code(text)])));
  if (quota.length > 0) paragraphs.push(formatted`Requests left: ${quota.join(' · ')}`);
  if (invocationQuota.length > 0) paragraphs.push(formatted`Invocations left: ${invocationQuota.join(' · ')}`);
  if (problem && profile.kind === 'hosted')
    paragraphs.push(
      formatted`$(warning) This connection is lost when the window closes, because secret storage failed.`,
    );
  return joinedMarkdown(paragraphs, '\n\n');
}

/** Returns the remaining requests of a rate limit window, such as `58 of 60 this minute`. Undefined when the service did not send them. */
export function quotaText({ name, remaining, quota, resetsAt }: RateLimitWindow, now: number): string | undefined {
  if (remaining === undefined) return undefined;
  // The full quota is available after the reset.
  const left = resetsAt !== undefined && resetsAt <= now ? quota : remaining;
  if (left === undefined) return undefined;
  return l10n.t`${left}${quota === undefined ? '' : l10n.t` of ${quota}`} this ${name}`;
}
