import type { MatchResult } from '../features/logs/fullLog/actions/timedMatcher.ts';

/* Replaces `timedMatcher.ts` in the browser bundle. Node.js can end an expression that takes too long, and a browser cannot. */

export class ExpressionTooSlow extends Error {}

/** Never created, because the commands that search a log are not available in a browser. */
export class TimedMatcher {
  match(): Promise<readonly MatchResult[]> {
    return Promise.reject(new Error('A browser cannot search a log.'));
  }
}
