/** The lines that a terminal of so many columns shows after these bytes; colours leave no trace. */
export function screenOf(bytes: string, columns: number): string[] {
  const lines = [''];
  let column = 0;
  // oxlint-disable-next-line no-control-regex
  for (const letter of bytes.replace(/\x1b\[\d*m/g, '')) {
    if (letter === '\n' || (column === columns && letter !== '\r')) {
      lines.push('');
      column = 0;
    }
    if (letter === '\r') column = 0;
    if (letter === '\r' || letter === '\n') continue;
    const line = lines.at(-1) as string;
    lines[lines.length - 1] = line.slice(0, column) + letter + line.slice(column + 1);
    column++;
  }
  return lines.map((line) => line.trimEnd());
}
