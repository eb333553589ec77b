import { understand } from './prompt/understand.ts';
import { checkSafety } from './safety.ts';

/** @throws EditError when the safety checker, if it is asked, refuses the prompt, or nothing in it makes sense */
export function checkPrompt(prompt: string, negativePrompt: string | undefined, { safely }: { safely: boolean }): void {
  if (safely) checkSafety(prompt);
  understand(prompt, negativePrompt);
}
