/** Levels of log lines, least severe first. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const NAMES: Readonly<Record<string, LogLevel>> = {
  trace: 'trace',
  verbose: 'trace',
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warn: 'warn',
  warning: 'warn',
  error: 'error',
  err: 'error',
  severe: 'error',
  critical: 'error',
  fatal: 'error',
  panic: 'error',
  alert: 'error',
  emergency: 'error',
};

/** Returns the level with a name, in any case, or undefined. Levels above error count as error. */
export function levelOfName(name: string): LogLevel | undefined {
  const key = name.toLowerCase();
  return Object.hasOwn(NAMES, key) ? NAMES[key] : undefined;
}

/** Returns the level of a number as pino and bunyan write it: 10 for trace to 60 for fatal. */
export function levelOfNumber(level: number): LogLevel | undefined {
  if (!(level >= 10 && level <= 100)) return undefined;
  return LOG_LEVELS[Math.min(Math.floor(level / 10), LOG_LEVELS.length) - 1];
}

/** Length of the beginning of a line that is searched for a level. */
const HEAD = 160;

const WORD = 'trace|verbose|debug|info|notice|warn|warning|error|err|severe|critical|fatal|panic';

/** Beginnings of `WORD`, in lower case or capitalized. */
const BEGINNING = '[Tt]race|[Vv]erb|[Dd]ebug|[Ii]nfo|[Nn]otice|[Ww]arn|[Ee]rr|[Ss]evere|[Cc]rit|[Ff]atal|[Pp]anic';

/** Matches every line that one of the patterns below can match. Most lines have no level and need no other search. */
const CANDIDATE = new RegExp(
  'TRACE|DEBUG|INFO|NOTICE|WARN|ERR|SEVERE|CRITICAL|FATAL|PANIC|Error|Exception|Traceback|panicked|level=|lvl=|severity=' +
    `|[[<]\\s?(?:${BEGINNING})|^\\s*(?:${BEGINNING}|npm |[IWEF]\\d{4} )`,
);

/** Patterns that name a level, most certain first. Each has the name in its first group. */
const NAMED: readonly RegExp[] = [
  /\b(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|ERR|SEVERE|CRITICAL|FATAL|PANIC)\b/,
  new RegExp(`[[<]\\s?(${WORD})\\s?[\\]>]`, 'i'),
  new RegExp(`\\b(?:level|lvl|severity)=["']?(${WORD})\\b`, 'i'),
  new RegExp(`^\\s*(?:npm )?(${WORD})(?:\\s?:|!|\\s\\|)`, 'i'),
  /^npm (warn|error|notice)\b/,
];

/** Patterns of failures that name no level. */
const FAILURES: readonly RegExp[] = [
  /^\s*Traceback \(most recent call last\)/,
  /^\s*(?:Uncaught |Unhandled )?(?:[A-Za-z_][\w.]{0,100})?(?:Error|Exception)(?::|$| \[)/,
  /^thread '[^']{0,100}'(?: \(\d+\))? panicked at /,
];

/** First letters of the lines of glog and klog, such as `E1122 10:42:05.123456 …`. */
const GLOG = /^([IWEF])\d{4} \d{2}:\d{2}:\d{2}/;
const GLOG_LEVELS: Readonly<Record<string, LogLevel>> = { I: 'info', W: 'warn', E: 'error', F: 'error' };

/** Returns the level that a line of text names near its beginning, or undefined. Takes linear time. */
export function levelInText(text: string): LogLevel | undefined {
  const head = text.length > HEAD ? text.slice(0, HEAD) : text;
  if (!CANDIDATE.test(head)) return undefined;
  const glog = GLOG.exec(head)?.[1];
  if (glog !== undefined) return GLOG_LEVELS[glog];
  for (const pattern of NAMED) {
    const name = pattern.exec(head)?.[1];
    if (name !== undefined) return levelOfName(name);
  }
  return FAILURES.some((pattern) => pattern.test(head)) ? 'error' : undefined;
}
