import assert from 'node:assert/strict';
import { hoverAt } from '../../../../src/features/requests/model/hoverAt.ts';
import { parseHttpFile } from '../../../../src/features/requests/model/parseHttpFile.ts';
import { httpFolds, httpLinks, httpSymbols } from '../../../../src/features/requests/model/structure.ts';
import { context, lines, parsed, textAt } from './support.ts';

const text = lines(
  ...[
    '@who = you',
    '@token = abcdef',
    '### Greet',
    'POST {{endpoint:hello-balanced}}/greet?{{who}}',
    'Accept: {{token}}',
    'X-Id: {{$guid}} {{twice}}',
    '',
  ],
  ...[
    '{',
    '  "list": [',
    '    1',
    '  ],',
    '  "a": "{"',
    '}',
    '',
    '###',
    'PUT {{endpoint:nothing}}/x',
    '',
    '< ./a.png',
    '',
    '###',
    '@twice = {{who}}{{who}}',
  ],
);
const file = parseHttpFile(text);

describe('hoverAt', () => {
  /** Returns the hovered text and its description. */
  const at = (words: string) => {
    const found = hoverAt(file, text.indexOf(words) + 2, context);
    return found && [textAt(text, found), found.markdown.source];
  };

  it('shows the value of a variable', () => {
    assert.deepEqual(at('{{who}}'), ['{{who}}', 'Variable of this file: `you`']);
    assert.deepEqual(at('{{twice}}'), ['{{twice}}', 'Variable of this file: `youyou`']);
  });
  it('never shows a secret', () => {
    const [, shown = ''] = at('{{token}}') ?? [];
    assert.match(shown, /looks like a secret/);
    assert.doesNotMatch(shown, /abcdef/);
  });
  it('shows the base address of an endpoint', () => {
    const [, shown = ''] = at('{{endpoint:hello') ?? [];
    assert.match(shown, /`ep1`/);
    assert.match(shown, /`https:\/\/ep1\.api\.example\.com`/);
  });
  it('shows an example of a system variable', () =>
    assert.match(at('{{$guid}}')?.[1] ?? '', /A random UUID.*`88888888-8888/));
  it('describes a header', () => assert.match(at('Accept:')?.[1] ?? '', /Media types/));
  it('shows nothing elsewhere', () => {
    assert.equal(at('{{endpoint:nothing'), undefined);
    assert.equal(at('"list"'), undefined);
  });
});

describe('httpSymbols', () => {
  it('lists requests by name, and variables', () => {
    const symbols = httpSymbols(file);
    assert.deepEqual(
      symbols.map(({ kind, name, detail }) => `${kind} ${name} | ${detail}`),
      [
        'variable @who | you',
        'variable @token | abcdef',
        'request Greet | POST {{endpoint:hello-balanced}}/greet?{{who}}',
        'request PUT {{endpoint:nothing}}/x | ',
        'variable @twice | {{who}}{{who}}',
      ],
    );
    for (const { start, end, selection } of symbols) assert.ok(start <= selection.start && selection.end <= end);
  });
});

describe('httpFolds', () => {
  it('folds requests and the JSON in them', () => {
    const folds = httpFolds(file).map((span) => textAt(text, span));
    assert.deepEqual(
      folds.map((one) => one.split('\n')[0]),
      ['### Greet', '  "list": ['.trim().slice(-1), '{', '###'],
    );
  });
});

describe('httpLinks', () => {
  it('links the files of bodies', () => {
    assert.deepEqual(
      httpLinks(file).map(({ path }) => path),
      ['./a.png'],
    );
    const linked = parsed('PUT /a', '', '< ./a.png', '###', 'PUT /b', '', '<@ {{x}}.json');
    assert.deepEqual(
      httpLinks(linked).map((link) => [link.path, textAt(linked.text, link)]),
      [['./a.png', './a.png']],
    );
  });
});
