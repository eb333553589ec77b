import { EditError } from './pixels/picture.ts';

/** Words that the safety checker refuses. `*` matches any ending. The checker compares words and ignores their context. */
const REFUSED_WORDS = [
  ...['nude*', 'nudity', 'naked', 'undress*', 'topless', 'nsfw', 'porn*', 'erotic*', 'hentai', 'fetish*', 'sexual*'],
  ...['sex', 'sexy', 'genital*', 'orgy', 'rape*', 'rapist*', 'incest*', 'pedophil*', 'paedophil*', 'lolita'],
  ...[
    'gore',
    'gory',
    'behead*',
    'decapitat*',
    'dismember*',
    'mutilat*',
    'tortur*',
    'massacre*',
    'suicid*',
    'self-harm*',
  ],
  ...['swastika*', 'nazi*', 'genocid*', 'terrorist*', 'lynch*'],
];

const REFUSED = new RegExp(
  `(?<![\\p{L}\\d])(${REFUSED_WORDS.map((word) => word.replace(/\*$/, '\\p{L}*')).join('|')})(?![\\p{L}\\d])`,
  'iu',
);

/** @throws EditError with the first refused word */
export function checkSafety(prompt: string): void {
  const word = REFUSED.exec(prompt)?.[1];
  if (word !== undefined) {
    throw new EditError(`the safety checker refuses the prompt: '${word.toLowerCase()}' (see enable_safety_checker)`);
  }
}
