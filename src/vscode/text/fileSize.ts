const UNITS = ['B', 'KB', 'MB', 'GB'] as const;

/** Formats a number of bytes as the editor does, such as `512 B`, `1.2 KB`, or `30 MB`. One KB has 1,024 bytes. */
export function fileSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (Math.round(value) >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  const digits = unit === 0 || value >= 10 ? 0 : 1;
  return `${value.toFixed(digits).replace(/\.0$/, '')} ${UNITS[unit] ?? ''}`;
}
