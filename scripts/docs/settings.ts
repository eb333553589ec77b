import { table } from './section.ts';

/** The part of package.json that the table shows. */
export interface Contributions {
  readonly configuration: {
    readonly properties: Readonly<
      Record<
        string,
        {
          readonly type: string | readonly string[];
          readonly enum?: readonly string[];
          readonly default: unknown;
          readonly scope?: string;
          readonly markdownDescription?: string;
          readonly description?: string;
        }
      >
    >;
  };
}

/** Returns a table of the settings, with their types or values and their defaults. */
export function settings({ configuration }: Contributions): string {
  return table(
    ['Setting', 'Type', 'Default', 'Scope', 'Meaning'],
    Object.entries(configuration.properties).map(([name, { type, scope = 'window', ...setting }]) => [
      `\`${name}\``,
      setting.enum?.map((value) => `\`${value}\``).join(', ') ?? [type].flat().join(' or '),
      `\`${JSON.stringify(setting.default)}\``,
      scope,
      withoutRepetitions(setting.markdownDescription ?? setting.description ?? '', setting.default),
    ]),
  );
}

/** Returns a description without the sentences that the column of defaults or the text above the table contains. */
function withoutRepetitions(description: string, value: unknown): string {
  const repetitions = [
    ` The default is \`${JSON.stringify(value)}\`.`,
    ' The local platform applies the setting when it starts.',
  ];
  return repetitions.reduce((text, sentence) => text.replace(sentence, ''), description);
}
