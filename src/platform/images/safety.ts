import { EditError } from './picture.ts';
import { understand } from './prompt.ts';

/** Words that the safety checker refuses. `*` matches any ending. The checker compares words and ignores their context. */
const REFUSED_WORDS = `nude* nudity naked undress* topless nsfw porn* erotic* hentai fetish* sexual* sex sexy genital* orgy rape* rapist*
  incest* pedophil* paedophil* lolita gore gory behead* decapitat* dismember* mutilat* tortur* massacre* suicid* self-harm* swastika* nazi*
  genocid* terrorist* lynch*`;

const REFUSED = new RegExp(
  `(?<![\\p{L}\\d])(${REFUSED_WORDS.replaceAll('*', '\\p{L}*').split(/\s+/).join('|')})(?![\\p{L}\\d])`,
  'iu',
);

/** @throws EditError if the safety checker is on and refuses the prompt, or the prompt contains no instruction to run */
export function checkPrompt(prompt: string, negativePrompt: string | undefined, isSafetyCheckerOn: boolean): void {
  const word = isSafetyCheckerOn ? REFUSED.exec(prompt)?.[1] : undefined;
  if (word !== undefined) {
    throw new EditError(`the safety checker refuses the prompt: '${word.toLowerCase()}' (see enable_safety_checker)`);
  }
  understand(prompt, negativePrompt);
}
