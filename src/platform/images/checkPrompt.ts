import { understand } from './prompt/understand.ts';
import { checkSafety } from './safety.ts';

/** @throws EditError if the safety checker is on and refuses the prompt, or the prompt contains no instruction to run */
export function checkPrompt(
  prompt: string,
  negativePrompt: string | undefined,
  { safetyChecker }: { safetyChecker: boolean },
): void {
  if (safetyChecker) checkSafety(prompt);
  understand(prompt, negativePrompt);
}
