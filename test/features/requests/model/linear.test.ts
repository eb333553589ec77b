import { MAX_HTTP_FILE } from '../../../../src/features/manifest/model/testFiles.ts';
import { parseHttpFile } from '../../../../src/features/requests/model/parseHttpFile.ts';
import { checkHttpFile, resolveRequest } from '../../../../src/features/requests/model/resolveRequest.ts';
import { assertLinear } from '../../../support/growth.ts';
import { context } from './support.ts';

const SIZES = [MAX_HTTP_FILE / 64, MAX_HTTP_FILE / 16, MAX_HTTP_FILE / 4, MAX_HTTP_FILE - 1024];

describe('an HTTP file is read in linear time', () => {
  const work = (text: string): void => {
    const file = parseHttpFile(text);
    checkHttpFile(file, context);
    const [first] = file.blocks;
    const last = file.blocks.at(-1);
    if (first && last) [first, last].map((block) => resolveRequest(file, block, context));
  };
  const post = 'POST {{endpoint:ep1}}/\n\n';
  const cases: readonly { readonly head?: string; readonly body: string }[] = [
    ...[
      '\n',
      '\r',
      ' ',
      '#',
      '###\n',
      '/a\n',
      '###\nGET /a\n',
      '@a\n',
      '@a = {{a}}\n',
      '{{',
      '{{a',
      '{{a}}',
      '}}',
      '@a={{b}}{{c}}\n',
    ].map((body) => ({ body })),
    ...['\n', ' ', '&a\n', 'A: b\n', '{{a}}', '{{', 'x\n', ':'].map((body) => ({ head: 'GET /a\n', body })),
    ...['\n', ' ', '{', '[', '{"a":', '{{a}}', '{{$guid}}', '# x\n', '< a\n', '> {%\n', '"', '{{', '\\', '1,'].map(
      (body) => ({ head: post, body }),
    ),
    ...['1,', '# x\n', '{{a}},', ' ', '\n'].map((body) => ({ head: `${post}[`, body })),
    { head: 'GET ', body: ' ' },
    { head: 'GET /', body: '../' },
    { head: 'GET {{endpoint:ep1}}/', body: '%2f' },
    { head: 'GET /a\nA:', body: ' ' },
    { head: '@a =', body: ' ' },
    { head: '> {% ', body: 'x\n' },
  ];
  for (const { head = '', body } of cases)
    it(JSON.stringify(`${head}${body}…`), () =>
      assertLinear(SIZES, (size) => head + body.repeat(size / body.length), work),
    );

  it('with many variables', () =>
    assertLinear(
      SIZES,
      (size) => {
        let text = '@v0 = 1\n';
        for (let n = 1; text.length < size - 64; n++) text += `@v${n} = {{v${n - 1}}}\n`;
        return text;
      },
      work,
    ));

  it('with many misspelled variables', () =>
    assertLinear(
      SIZES,
      (size) => {
        let text = '';
        for (let n = 1; text.length < size - 64; n++) text += `@v${n} = {{w${n}}}\n`;
        return text;
      },
      work,
    ));
});
