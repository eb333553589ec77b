/** A section of a changelog in the format of https://keepachangelog.com. */
export interface ChangelogSection {
  /** Version, such as `1.2.0`. Undefined for the changes that are not released. */
  readonly version: string | undefined;
  /** Date of the release, such as `2026-01-31`. Undefined if the heading has none. */
  readonly date: string | undefined;
  /** Text below the heading, without blank lines around it. */
  readonly text: string;
}

const HEADING = /^## \[?(?:Unreleased|(\d+\.\d+\.\d+\S*?))\]?(?: - (\d{4}-\d{2}-\d{2}))?[ \t]*$/gim;

/** Returns the sections of a changelog, in their order. */
export function changelogSections(changelog: string): ChangelogSection[] {
  const headings = [...changelog.replaceAll('\r\n', '\n').matchAll(HEADING)];
  return headings.map(({ 0: heading, 1: version, 2: date, index, input }, number) => {
    const end = headings[number + 1]?.index ?? input.length;
    return { version, date, text: input.slice(index + heading.length, end).trim() };
  });
}

/** Returns whether a section contains entries, and not only headings. */
export function hasEntries({ text }: ChangelogSection): boolean {
  return /^[-*] /m.test(text);
}
