import { EditError } from './pixels/picture.ts';

/** What the safety checker refuses. A star stands for any ending. It knows words, not meanings. */
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

/** @throws EditError naming the first word that is refused */
export function checkSafety(prompt: string): void {
  const word = REFUSED.exec(prompt)?.[1];
  if (word !== undefined) {
    throw new EditError(`the safety checker refuses the prompt: '${word.toLowerCase()}' (see enable_safety_checker)`);
  }
}
