/**
 * Classes of causes for which a worker cannot be started, with their words in the worker's log. The extension chooses the remedy by the
 * class. The reason, which follows in the log, is for people only.
 */
export const START_PROBLEMS = {
  imageNotFound: 'image not found',
  credentialsMissing: 'registry requires credentials',
  credentialsRefused: 'registry refused the credentials',
  registryUnreachable: 'registry cannot be reached',
  registryFailing: 'registry reports an error',
  rateLimited: 'registry limits the pulls',
  wrongPlatform: 'image for another kind of machine',
  noSpace: 'no space left',
  badCommand: 'command cannot run',
  directoryMissing: 'directory missing',
  engineMissing: 'no container engine',
  engineUnreachable: 'engine cannot be reached',
  noGpu: 'no GPU',
} as const;

export type StartProblem = keyof typeof START_PROBLEMS;

/** Returns the class with these words; undefined for other words. */
export function startProblemOf(words: string): StartProblem | undefined {
  return (Object.keys(START_PROBLEMS) as StartProblem[]).find((problem) => START_PROBLEMS[problem] === words);
}
