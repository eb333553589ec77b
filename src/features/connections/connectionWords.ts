import type { RateLimitWindow } from '../../client/rateLimits.ts';
import { code, formatted, joinedMarkdown, table, type Markdown } from '../../vscode/text/markdown.ts';
import { shown, type ShownText } from '../../vscode/text/shownText.ts';
import type { Profile } from './connectionStore.ts';

/* How the editor describes a connection. */

/** Whether it is on this machine, and whether it can be used, in one word for an icon. */
export function connectionIcon({ kind, apiKey }: Pick<Profile, 'kind' | 'apiKey'>): ShownText {
  if (kind === 'local') return shown`$(vm)`;
  return apiKey === '' ? shown`$(lock)` : shown`$(cloud)`;
}

/** The same in words. */
export function connectionState({ kind, apiKey }: Pick<Profile, 'kind' | 'apiKey'>): string {
  if (kind === 'local') return apiKey === '' ? 'on this machine, not running' : 'on this machine';
  return apiKey === '' ? 'hosted, signed out' : 'hosted';
}

/** Lines of the tooltip, as Markdown: what it is, where its key is sent, and what is left of its rate limits. */
export function connectionTooltip(
  profile: Profile,
  { windows, now, problem }: { windows: Iterable<RateLimitWindow>; now: number; problem: Error | undefined },
): Markdown {
  const { name, teamId, baseUrl, restUrl, queueUrl, endpointHost } = profile;
  const rows: (readonly [string, string])[] =
    baseUrl === ''
      ? []
      : [
          ['Management API', baseUrl],
          ...(restUrl === baseUrl ? [] : [['v1 management API', restUrl] as const]),
          ['Queue', queueUrl],
          ['Load-balanced endpoints', endpointHost],
        ];
  if (teamId !== undefined) rows.push(['Team', teamId]);
  const quota = [...windows].flatMap((window) => quotaText(window, now) ?? []);
  const paragraphs = [formatted`**${name}**, ${connectionState(profile)}`];
  if (rows.length > 0) paragraphs.push(table(rows.map(([what, text]) => [what, code(text)])));
  if (quota.length > 0) paragraphs.push(formatted`Requests left: ${quota.join(' · ')}`);
  if (problem && profile.kind === 'hosted')
    paragraphs.push(formatted`$(warning) Kept only until this window closes: the secret storage cannot be used.`);
  return joinedMarkdown(paragraphs, '\n\n');
}

/** What is left of a window, such as `58 of 60 this minute`; undefined when the service did not say. */
export function quotaText({ name, remaining, quota, resetsAt }: RateLimitWindow, now: number): string | undefined {
  if (remaining === undefined) return undefined;
  // After its reset it is whole again, whatever was read before.
  const left = resetsAt !== undefined && resetsAt <= now ? quota : remaining;
  if (left === undefined) return undefined;
  return `${left}${quota === undefined ? '' : ` of ${quota}`} this ${name}`;
}
