import type { LineColor } from '../model/lineText.ts';

/** Token types by color. package.json describes them, and maps them to the colors of themes. */
export const TOKEN_TYPES: Readonly<Record<LineColor, string>> = {
  red: 'ansiRed',
  green: 'ansiGreen',
  yellow: 'ansiYellow',
  blue: 'ansiBlue',
  magenta: 'ansiMagenta',
  cyan: 'ansiCyan',
  gray: 'ansiGray',
  tag1: 'workerTag1',
  tag2: 'workerTag2',
  tag3: 'workerTag3',
  tag4: 'workerTag4',
  tag5: 'workerTag5',
  tag6: 'workerTag6',
};
